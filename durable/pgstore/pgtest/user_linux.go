package pgtest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// asUser makes a process end with this one. If this process runs as root, the other runs as the
// user postgres.
func asUser() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if uid, gid, ok := other(); ok {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return attr
}

// giveAway makes the server's user the owner of a directory.
func giveAway(dir string) error {
	if uid, gid, ok := other(); ok {
		return os.Chown(dir, int(uid), int(gid))
	}
	return nil
}

// other returns the user as whom the server runs if this process runs as root.
func other() (uid, gid uint32, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, false
	}
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	group, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return uint32(id), uint32(group), err == nil && err2 == nil
}
