"""The files of the example fleet: what those of real hosts look like. All of it is fiction."""

import base64
import hashlib
from collections.abc import Iterator

from mcs.jsondata import JSON, JSONObject, compact

__all__ = ["files", "ssh_key"]

# ---- texts that look like the real ones


def noise(seed: str, size: int) -> bytes:
    """Return bytes that look random and are the same each time."""
    blocks = (hashlib.sha256(f"{seed}/{number}".encode()).digest() for number in range(size // 32 + 1))
    return b"".join(blocks)[:size]


def certificate(seed: str) -> str:
    """Return what looks like a certificate in PEM; it is none."""
    body = base64.b64encode(b"\x30\x82\x03\x9c" + noise(seed, 924)).decode()
    lines = "\n".join(body[start : start + 64] for start in range(0, len(body), 64))
    return f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"


def bundle(name: str, count: int) -> str:
    """Return a bundle of CA certificates, each with its name above it."""
    return "".join(f"# {name} {number:02d}\n{certificate(f'{name}/{number}')}" for number in range(1, count + 1))


def ssh_key(owner: str) -> str:
    """Return what looks like a public SSH key."""
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + noise(owner, 32)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()} {owner}"


def kubelet(role: str, generation: int) -> str:
    """Return a kubelet's configuration."""
    reserved = {"master": ("1500m", "4Gi"), "infra": ("800m", "2Gi")}.get(role, ("500m", "1Gi"))
    return f"""kind: KubeletConfiguration
apiVersion: kubelet.config.k8s.io/v1beta1
authentication:
  x509: {{clientCAFile: /etc/kubernetes/kubelet-ca.crt}}
  anonymous: {{enabled: false}}
cgroupDriver: systemd
clusterDNS: [198.51.100.10]
clusterDomain: cluster.local
containerLogMaxSize: {25 * generation}Mi
maxPods: {200 + 25 * generation}
kubeAPIQPS: 50
kubeAPIBurst: 100
podPidsLimit: 4096
rotateCertificates: true
serializeImagePulls: false
staticPodPath: /etc/kubernetes/manifests
systemCgroups: /system.slice
systemReserved: {{cpu: {reserved[0]}, memory: {reserved[1]}, ephemeral-storage: 1Gi}}
shutdownGracePeriod: {30 * generation}s
serverTLSBootstrap: true
tlsMinVersion: VersionTLS12
tlsCipherSuites:
- TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
- TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
- TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
- TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
"""


def registries(generation: int) -> str:
    """Return where images are pulled from: a mirror for each upstream registry and team."""
    upstreams = (
        "docker.io",
        "quay.io",
        "ghcr.io",
        "registry.k8s.io",
        "public.ecr.aws",
        "gcr.io",
        "registry.access.redhat.com",
    )
    teams = ("library", "platform", "payments", "search", "storage", "network", "observability", "web", "data", "ci")
    lines = ['unqualified-search-registries = ["registry.example.net"]', 'short-name-mode = "enforcing"', ""]
    for upstream in upstreams[: 3 + 2 * generation]:
        for team in teams:
            lines += [
                "[[registry]]",
                f'prefix = "{upstream}/{team}"',
                f'location = "{upstream}/{team}"',
                "",
                "  [[registry.mirror]]",
                f'  location = "mirror-1.example.net:5000/{upstream}/{team}"',
                "  [[registry.mirror]]",
                f'  location = "mirror-2.example.net:5000/{upstream}/{team}"',
                "",
            ]
    return "\n".join(lines)


def audit_rules() -> str:
    """Return the kernel's audit rules: who changes what matters on the host."""
    watched = {
        "identity": ("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d"),
        "kubernetes": ("/etc/kubernetes", "/var/lib/kubelet/config.json", "/etc/kubernetes/manifests", "/opt/cni/bin"),
        "runtime": ("/etc/crio", "/etc/containers", "/usr/bin/crio", "/usr/bin/runc", "/usr/bin/crun"),
        "boot": ("/boot/loader", "/etc/default/grub", "/etc/sysctl.d", "/etc/modprobe.d", "/etc/modules-load.d"),
        "network": ("/etc/hosts", "/etc/resolv.conf", "/etc/NetworkManager", "/etc/hostname"),
        "session": ("/var/run/utmp", "/var/log/wtmp", "/var/log/btmp", "/var/log/lastlog"),
    }
    calls = (
        "adjtimex",
        "settimeofday",
        "init_module",
        "delete_module",
        "mount",
        "umount2",
        "ptrace",
        "unlinkat",
        "renameat",
    )
    lines = ["-D", "-b 8192", "-f 1", "--backlog_wait_time 60000", ""]
    lines += [f"-w {path} -p wa -k {key}" for key, paths in watched.items() for path in paths]
    lines += [f"-a always,exit -F arch={arch} -S {call} -k {call}" for call in calls for arch in ("b64", "b32")]
    return "\n".join([*lines, "", "-e 2", ""])


SYSTEM_CALLS = """
files access chdir chmod chown close creat dup fchdir fchmod fchown fcntl flock fstat fsync ftruncate getcwd link lseek
files lstat mkdir mkdirat mknod open openat read readlink readv rename rmdir stat statfs symlink truncate umask unlink
memory brk madvise mincore mlock mmap mprotect mremap msync munlock munmap remap_file_pages memfd_create membarrier
processes arch_prctl capget capset clone execve execveat exit exit_group fork getpgid getpid getppid getrlimit gettid
processes kill nanosleep pause prctl sched_yield set_tid_address setitimer setpgid setsid tgkill times vfork wait4
network accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmsg sendmmsg sendmsg sendto
network setsockopt shutdown socket socketpair
events epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd eventfd2 futex inotify_add_watch poll ppoll
events pselect6 rt_sigaction rt_sigprocmask rt_sigreturn select signalfd timerfd_create timerfd_settime
"""


def seccomp_profile() -> str:
    """Return a container's seccomp profile."""
    lines = [line.split() for line in SYSTEM_CALLS.splitlines() if line]
    calls: list[JSON] = [{"names": [*names], "action": "SCMP_ACT_ALLOW", "comment": group} for group, *names in lines]
    return compact({"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1, "archMap": [], "syscalls": calls}) + "\n"


def script(name: str, purpose: str, *steps: str) -> str:
    """Return a shell script as people write them for first boots."""
    body = "\n".join(f"step {number}\n{text}" for number, text in enumerate(steps, 1))
    return f"""#!/bin/bash
# {name}: {purpose}
set -euo pipefail

log() {{ echo "{name}: $*" >&2; }}
step() {{ log "step $1 of {len(steps)}"; }}

if [[ -e /run/{name}.done ]]; then
  log "already done since $(stat -c %y /run/{name}.done)"
  exit 0
fi

{body}

touch /run/{name}.done
log "done"
"""


def static_pod(name: str, port: int) -> str:
    """Return a control plane's static pod."""
    return f"""kind: Pod
apiVersion: v1
metadata:
  name: {name}
  namespace: kube-system
  labels: {{app: {name}, tier: control-plane}}
spec:
  hostNetwork: true
  priorityClassName: system-node-critical
  tolerations: [{{operator: Exists}}]
  containers:
  - name: {name}
    image: registry.example.net/platform/{name}@sha256:{noise(name, 32).hex()}
    args: [--bind-address=127.0.0.1, --secure-port={port}, --v=2]
    resources: {{requests: {{cpu: 100m, memory: 256Mi}}}}
    livenessProbe:
      httpGet: {{host: 127.0.0.1, path: /healthz, port: {port}, scheme: HTTPS}}
      initialDelaySeconds: 30
      periodSeconds: 10
    volumeMounts: [{{name: config, mountPath: /etc/kubernetes, readOnly: true}}]
  volumes: [{{name: config, hostPath: {{path: /etc/kubernetes}}}}]
"""


SYSCTLS = {
    "10-network.conf": ("net.ipv4.ip_forward = 1", "net.ipv6.conf.all.forwarding = 1", "net.core.somaxconn = 4096"),
    "20-inotify.conf": ("fs.inotify.max_user_watches = 65536", "fs.inotify.max_user_instances = 8192"),
    "30-arp.conf": ("net.ipv4.neigh.default.gc_thresh1 = 8192", "net.ipv4.neigh.default.gc_thresh2 = 32768"),
    "40-memory.conf": ("vm.overcommit_memory = 1", "vm.max_map_count = 262144", "vm.swappiness = 10"),
    "50-kernel.conf": ("kernel.panic = 10", "kernel.panic_on_oops = 1", "kernel.keys.root_maxkeys = 1000000"),
    "60-hardening.conf": ("kernel.dmesg_restrict = 1", "kernel.kptr_restrict = 2", "net.ipv4.conf.all.rp_filter = 1"),
}
MODULES = {
    "overlay": "container images",
    "br_netfilter": "bridges",
    "nf_conntrack": "services",
    "dm_multipath": "disks",
}
DOCUMENTED = "# Managed by the pool's configuration: changes made here are lost at the next one.\n"

# ---- what a pool's machines get


def files(role: str, generation: int) -> Iterator[tuple[str, int, str]]:
    """Yield path, mode and text of the files of a role in a generation; a later generation has more of them."""
    for name, settings in SYSCTLS.items():
        yield f"/etc/sysctl.d/{name}", 0o644, DOCUMENTED + "\n".join(settings) + "\n"
    for module, why in MODULES.items():
        yield f"/etc/modules-load.d/{module}.conf", 0o644, f"# {why}\n{module}\n"
    yield "/etc/kubernetes/kubelet.conf", 0o644, kubelet(role, generation)
    yield "/etc/kubernetes/kubelet-env", 0o600, f"KUBELET_LOG_LEVEL=2\nNODE_ROLE={role}\nGENERATION={generation}\n"
    yield "/etc/kubernetes/cloud.conf", 0o600, "[Global]\nregion = nowhere-1\n"
    yield "/etc/crio/crio.conf.d/00-default", 0o644, crio(generation)
    yield "/etc/crio/crio.conf.d/10-pids", 0o644, f"[crio.runtime]\npids_limit = {2048 * generation}\n"
    yield "/etc/crio/seccomp.json", 0o644, seccomp_profile()
    yield "/etc/containers/registries.conf", 0o644, registries(generation)
    yield "/etc/containers/policy.json", 0o644, '{"default": [{"type": "insecureAcceptAnything"}]}\n'
    yield (
        "/etc/containers/storage.conf",
        0o644,
        '[storage]\ndriver = "overlay"\ngraphroot = "/var/lib/containers/storage"\n',
    )
    yield "/etc/pki/ca-trust/source/anchors/company.crt", 0o644, bundle("Example Company Root", 6 + 4 * generation)
    yield "/etc/pki/ca-trust/source/anchors/proxy.crt", 0o644, bundle("Example Proxy", 4 + 2 * generation)
    yield "/etc/kubernetes/ca-bundle.crt", 0o644, bundle("Example Cluster", 40 + 12 * generation)
    yield "/etc/chrony.conf", 0o644, chrony()
    yield "/etc/audit/rules.d/30-hosts.rules", 0o640, audit_rules()
    yield "/etc/systemd/journald.conf.d/storage.conf", 0o644, "[Journal]\nStorage=persistent\nSystemMaxUse=4G\n"
    yield "/etc/systemd/system.conf.d/limits.conf", 0o644, "[Manager]\nDefaultLimitNOFILE=1048576:1048576\n"
    yield (
        "/etc/NetworkManager/conf.d/99-unmanaged.conf",
        0o644,
        "[keyfile]\nunmanaged-devices=interface-name:veth*;tun*\n",
    )
    yield (
        "/etc/NetworkManager/dispatcher.d/90-long-hostname",
        0o755,
        script(
            "long-hostname",
            "shorten a name that the kernel refuses",
            "name=$(hostname)",
            '[[ ${#name} -le 63 ]] || hostnamectl set-hostname "${name:0:63}"',
        ),
    )
    yield (
        "/etc/ssh/sshd_config.d/40-hosts.conf",
        0o600,
        "PasswordAuthentication no\nPermitRootLogin no\nMaxAuthTries 3\n",
    )
    yield "/etc/logrotate.d/pods", 0o644, "/var/log/pods/*/*.log {\n  daily\n  rotate 7\n  compress\n  missingok\n}\n"
    yield "/etc/motd", 0o644, f"This machine belongs to the pool {role}. What you change by hand here is lost.\n"
    yield "/etc/profile.d/prompt.sh", 0o644, f"PS1='[\\u@\\h {role} \\W]\\$ '\n"
    yield "/etc/tmpfiles.d/nm.conf", 0o644, "D /run/nm-system-connections 0755 root root - -\n"
    yield "/etc/udev/rules.d/60-disks.rules", 0o644, 'ACTION=="add", KERNEL=="sd[a-z]", ATTR{queue/scheduler}="none"\n'
    yield "/etc/multipath.conf", 0o600, "defaults {\n  user_friendly_names yes\n  find_multipaths yes\n}\n"
    yield "/etc/iscsi/initiatorname.iscsi", 0o600, "InitiatorName=iqn.2026-01.net.example:initial\n"
    yield (
        "/etc/hosts.d/cluster",
        0o644,
        "".join(f"192.0.2.{host} node-{host}.blue.example.net\n" for host in range(1, 90)),
    )
    yield "/etc/issue.d/10-utf8.issue", 0o644, "Zugang nur für Befugte · accès réservé · 許可された方のみ\n"
    yield (
        "/var/lib/kubelet/config.json",
        0o600,
        compact({"auths": {"registry.example.net": {"auth": "bm9ib2R5Om5vdGhpbmc="}}}),
    )
    yield "/etc/mcs-example/empty", 0o644, ""
    for name, purpose, steps in SCRIPTS:
        yield f"/usr/local/bin/{name}.sh", 0o755, script(name, purpose, *steps)
    yield from ROLE_FILES.get(role, ())
    for number in range(1, 8 + 3 * generation):
        yield f"/etc/cni/net.d/conf.d/{number:02d}-team.conflist", 0o644, network(number)


def crio(generation: int) -> str:
    """Return the container runtime's configuration."""
    return f"""[crio]
internal_wipe = true

[crio.runtime]
cgroup_manager = "systemd"
conmon_cgroup = "pod"
default_capabilities = ["CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "SETGID", "SETUID", "KILL"]
default_sysctls = ["net.ipv4.ping_group_range=0 2147483647"]
log_level = "info"
seccomp_profile = "/etc/crio/seccomp.json"
selinux = true

[crio.image]
pause_image = "registry.example.net/platform/pause:3.{generation}"
global_auth_file = "/var/lib/kubelet/config.json"

[crio.metrics]
enable_metrics = true
metrics_port = 9537
"""


def chrony() -> str:
    """Return where the time comes from; a config server and its machines must agree on it."""
    servers = "".join(f"server ntp-{number}.example.net iburst minpoll 4 maxpoll 8\n" for number in range(1, 5))
    return f"{servers}driftfile /var/lib/chrony/drift\nmakestep 1.0 3\nrtcsync\nlogdir /var/log/chrony\n"


def network(number: int) -> str:
    """Return a team's additional network."""
    bridge: JSONObject = {
        "type": "bridge",
        "bridge": f"team{number}",
        "vlan": 100 + number,
        "ipam": {"type": "host-local", "ranges": [[{"subnet": f"203.0.113.{8 * (number % 32)}/29"}]]},
    }
    return (
        compact({"cniVersion": "1.0.0", "name": f"team-{number:02d}", "plugins": [bridge, {"type": "tuning"}]}) + "\n"
    )


SCRIPTS = (
    (
        "configure-bridge",
        "give the cluster network its bridge",
        (
            "ip link show br-ex >/dev/null 2>&1 || ip link add br-ex type bridge",
            "ip link set br-ex mtu 1500 up",
            "ip -brief address show br-ex",
        ),
    ),
    (
        "recover-kubelet",
        "restart a kubelet that cannot reach the API",
        (
            "curl --silent --fail --max-time 5 http://127.0.0.1:10248/healthz || systemctl --no-block restart kubelet",
            "systemctl is-active --quiet kubelet",
        ),
    ),
    (
        "wait-for-time",
        "wait until the clock is right",
        ("chronyc waitsync 30 0.5 0 2", "timedatectl show --property=NTPSynchronized"),
    ),
    (
        "prune-images",
        "make room before the kubelet has to",
        ("crictl rmi --prune", "df --output=pcent /var/lib/containers"),
    ),
    (
        "collect-facts",
        "write down what this machine is",
        ("lscpu >/run/facts.cpu", "lsblk --json >/run/facts.disks", "ip -json link >/run/facts.links"),
    ),
)

ROLE_FILES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "master": (
        *(
            (f"/etc/kubernetes/manifests/{name}.yaml", 0o600, static_pod(name, port))
            for name, port in (
                ("kube-apiserver", 6443),
                ("kube-controller-manager", 10257),
                ("kube-scheduler", 10259),
                ("etcd", 9980),
            )
        ),
        ("/etc/kubernetes/etcd-ca.crt", 0o644, bundle("Example etcd", 3)),
        (
            "/etc/haproxy/haproxy.cfg",
            0o644,
            "defaults\n  mode tcp\n  timeout connect 10s\n\nlisten api\n  bind :::9445 v4v6\n"
            + "".join(f"  server master-{host} 192.0.2.{10 + host}:6443 check inter 1s\n" for host in range(3)),
        ),
    ),
    "infra": (
        ("/etc/haproxy/router.cfg", 0o644, "frontend public\n  bind :80\n  mode http\n  default_backend pods\n"),
        (
            "/etc/sysctl.d/70-router.conf",
            0o644,
            "net.ipv4.ip_local_port_range = 1024 65535\nnet.ipv4.tcp_tw_reuse = 1\n",
        ),
    ),
    "edge": (
        ("/etc/edge/site.conf", 0o644, "SITE=harbour-7\nUPLINK=lte\n"),
        (
            "/etc/edge/sync.rules",
            0o600,
            "".join(f"queue-{number:02d} every {number} minutes\n" for number in range(1, 40)),
        ),
    ),
}
