#!/bin/sh
# machine_recipe.sh FOLDER MIRROR: makes vmlinuz, initrd.img and root.img of a small Debian with Ignition in FOLDER.
# Root only, and in a mount namespace of its own: nothing that it mounts is seen outside, or outlives it.
set -eu
folder=$1 mirror=$2
suite=bookworm
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
cd "$folder"

# ---- the root that a machine has before its first boot, and a copy of it to build the initramfs in
debootstrap --variant=minbase --include=systemd-sysv,udev,dbus,iproute2 "$suite" rootfs "$mirror"
cp -a rootfs build

# Without curl dracut leaves Ignition out, and says so in its log alone.
INITRD=No chroot build apt-get install -y --no-install-recommends \
    linux-image-cloud-amd64 dracut dracut-network ignition kmod iproute2 e2fsprogs cpio procps curl ca-certificates gdisk
# Debian's Ignition labels what it wrote for SELinux; this root has no policy to label with.
printf '#!/bin/sh\ncat >/dev/null\n' >build/usr/sbin/setfiles
chmod 755 build/usr/sbin/setfiles

# ---- kernel and initramfs
kernel=$(ls build/lib/modules)
for kind in proc sys dev; do mount --rbind "/$kind" "build/$kind"; done
chroot build dracut --force --no-hostonly --no-hostonly-cmdline --kver "$kernel" \
    --no-early-microcode --no-compress --nostrip \
    --modules \
    'bash systemd systemd-initrd systemd-networkd network url-lib ignition qemu kernel-modules rootfs-block udev-rules dracut-systemd base fs-lib usrmount shutdown' \
    --drivers 'virtio_pci virtio_mmio virtio_blk virtio_net virtio-rng qemu_fw_cfg' \
    --force-drivers 'virtio_blk virtio_net qemu_fw_cfg' --filesystems ext4 /initrd.img
chroot build lsinitrd /initrd.img usr/lib/systemd/system/ignition-fetch.service | grep -q '^ExecStart=' || {
    echo 'dracut has left Ignition out of the initramfs' >&2
    exit 1
}
mv build/initrd.img initrd.img
cp "build/boot/vmlinuz-$kernel" vmlinuz

# ---- the root disk
chroot rootfs apt-get clean
rm -rf rootfs/etc/machine-id rootfs/var/lib/apt/lists rootfs/usr/share/doc rootfs/usr/share/locale
# systemd applies Ignition's presets only on a machine without an id.
: >rootfs/etc/fstab
printf '[Match]\nType=ether\n\n[Network]\nDHCP=ipv4\n' >rootfs/etc/systemd/network/ether.network
chroot rootfs systemctl --quiet enable systemd-networkd.service
mkdir -p rootfs/etc/selinux/none/contexts/files
printf 'SELINUX=disabled\nSELINUXTYPE=none\n' >rootfs/etc/selinux/config
: >rootfs/etc/selinux/none/contexts/files/file_contexts
# What a test has no use for, and an emulated processor takes seconds to start.
chroot rootfs systemctl --quiet mask \
    getty@.service serial-getty@.service console-getty.service systemd-logind.service dbus.service dbus.socket \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
    systemd-tmpfiles-clean.timer dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
    systemd-hwdb-update.service systemd-journal-catalog-update.service
touch rootfs/etc/.updated rootfs/var/.updated
mount --bind rootfs build/mnt
truncate -s 600M build/root.img
chroot build mkfs.ext4 -q -L root -O ^has_journal -E lazy_itable_init=1 -d /mnt /root.img
mv build/root.img root.img
