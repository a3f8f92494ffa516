"""The systemd units of the example fleet."""

from collections.abc import Iterator

from mcs.jsondata import JSON, JSONObject

__all__ = ["units"]

PLAIN_SERVICES = ("configure-bridge", "recover-kubelet", "wait-for-time", "prune-images", "collect-facts")
DROPINS = {
    "crio.service": ("10-default-env.conf", "[Service]\nEnvironment=GODEBUG=x509ignoreCN=0,madvdontneed=1\n"),
    "docker.socket": ("10-ordering.conf", "[Unit]\nAfter=local-fs.target\n"),
    "chronyd.service": ("10-restart.conf", "[Service]\nRestart=always\nRestartSec=5\n"),
    "sshd.service": ("10-keys.conf", "[Unit]\nAfter=sshd-keygen.target\n"),
    "NetworkManager.service": ("20-wait.conf", "[Unit]\nWants=network-pre.target\n"),
    "systemd-journald.service": ("10-watchdog.conf", "[Service]\nWatchdogSec=3min\n"),
    "auditd.service": ("10-boot.conf", "[Unit]\nDefaultDependencies=no\n"),
    "irqbalance.service": ("10-banned.conf", "[Service]\nEnvironment=IRQBALANCE_BANNED_CPULIST=0-1\n"),
    "multipathd.service": ("10-late.conf", "[Unit]\nConditionPathExists=/etc/multipath.conf\n"),
    "iscsid.service": ("10-name.conf", "[Service]\nExecStartPre=/usr/local/bin/collect-facts.sh\n"),
}
MASKED = ("systemd-firstboot.service", "zincati.service", "cups.service", "avahi-daemon.service")
DISABLED = (
    "bluetooth.service",
    "ModemManager.service",
    "rpcbind.socket",
    "debug-shell.service",
    "wpa_supplicant.service",
)


def units(role: str, generation: int) -> Iterator[JSONObject]:
    """Yield systemd units: some with contents, some only with dropins, some masked or switched off."""
    yield {
        "name": "kubelet.service",
        "enabled": True,
        "contents": kubelet_unit(role),
        "dropins": kubelet_dropins(generation),
    }
    for name in PLAIN_SERVICES:
        yield {"name": f"{name}.service", "enabled": name != "prune-images", "contents": oneshot(name)}
    yield {
        "name": "prune-images.timer",
        "enabled": True,
        "contents": "[Timer]\nOnCalendar=daily\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n",
    }
    for name, (dropin, text) in DROPINS.items():
        yield {"name": name, "dropins": [{"name": dropin, "contents": text}]}
    for name in MASKED:
        yield {"name": name, "mask": True}
    for name in DISABLED:
        yield {"name": name, "enabled": False}


def kubelet_unit(role: str) -> str:
    """Return the kubelet's unit; its labels file carries the boot's own labels."""
    return f"""[Unit]
Description=Kubernetes Kubelet
Wants=rpc-statd.service network-online.target
Requires=crio.service
After=network-online.target crio.service wait-for-time.service

[Service]
Type=notify
EnvironmentFile=-/etc/kubernetes/kubelet-env
EnvironmentFile=-/etc/mcs/node-labels.env
ExecStart=/usr/bin/kubelet --config=/etc/kubernetes/kubelet.conf \\
  --kubeconfig=/var/lib/kubelet/kubeconfig --bootstrap-kubeconfig=/etc/kubernetes/kubeconfig \\
  --node-labels=node-role.kubernetes.io/{role},node.example.net/pool={role} --v=${{KUBELET_LOG_LEVEL}}
Restart=always
RestartSec=10

[Install]
WantedBy=multi-user.target
"""


def kubelet_dropins(generation: int) -> list[JSON]:
    """Return the kubelet's dropins; a later generation has more of them."""
    texts = ("MemoryHigh=90%", "CPUWeight=500", "OOMScoreAdjust=-999", "TasksMax=infinity")
    return [
        {"name": f"{number}0-limits.conf", "contents": f"[Service]\n{text}\n"}
        for number, text in enumerate(texts[: generation + 1], 1)
    ]


def oneshot(name: str) -> str:
    """Return a unit that runs one of the scripts."""
    return f"""[Unit]
Description={name}
Before=kubelet.service
ConditionPathExists=/usr/local/bin/{name}.sh

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/bin/{name}.sh

[Install]
WantedBy=multi-user.target
"""
