package controlplane

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Backup keeps the present state of etcd, as a snapshot of its volume does:
// etcd stands still meanwhile, and finds its files as after a crash.
func (c *ControlPlane) Backup() error {
	if err := os.RemoveAll(c.backupDir()); err != nil {
		return err
	}
	if err := c.etcd.process.Suspend(); err != nil {
		return err
	}
	err := os.CopyFS(c.backupDir(), os.DirFS(c.etcd.dataDir()))
	return errors.Join(err, c.etcd.process.Signal(syscall.SIGCONT))
}

// Restore puts the state of the last Backup back, as an administrator does
// after a disaster: resourceVersions go back and are used a second time. Both
// processes have to be stopped, and to be started afterwards.
func (c *ControlPlane) Restore() error {
	if c.etcd.process.Exited() == nil || c.apiServer.Exited() == nil {
		return errors.New("a running control plane cannot be restored")
	}
	if err := os.RemoveAll(c.etcd.dataDir()); err != nil {
		return err
	}
	return os.CopyFS(c.etcd.dataDir(), os.DirFS(c.backupDir()))
}

func (c *ControlPlane) backupDir() string { return filepath.Join(c.dir, "etcd-backup") }
