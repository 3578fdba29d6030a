package pgtest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// asUser makes a process end with this one and, if this one is root's, belong to the user
// postgres.
func asUser() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if uid, gid, ok := other(); ok {
		attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return attr
}

// giveAway makes a directory the server's.
func giveAway(dir string) error {
	if uid, gid, ok := other(); ok {
		return os.Chown(dir, int(uid), int(gid))
	}
	return nil
}

// other is the user that the server runs as, if this process is root's.
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
