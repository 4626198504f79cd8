package controlplane

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// Backup keeps the present state of etcd. The control plane is away meanwhile.
func (c *ControlPlane) Backup(ctx context.Context) error {
	return c.whileStopped(ctx, func() error {
		if err := os.RemoveAll(c.backupDir()); err != nil {
			return err
		}
		return os.CopyFS(c.backupDir(), os.DirFS(c.etcd.dataDir()))
	})
}

// Restore puts the state of the last Backup back, as an administrator does
// after a disaster: resourceVersions go back and are used a second time.
func (c *ControlPlane) Restore(ctx context.Context) error {
	return c.whileStopped(ctx, func() error {
		if err := os.RemoveAll(c.etcd.dataDir()); err != nil {
			return err
		}
		return os.CopyFS(c.etcd.dataDir(), os.DirFS(c.backupDir()))
	})
}

func (c *ControlPlane) backupDir() string { return filepath.Join(c.dir, "etcd-backup") }

func (c *ControlPlane) whileStopped(ctx context.Context, do func() error) error {
	c.apiServer.Kill()
	if _, err := c.etcd.process.Stop(30 * time.Second); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := c.etcd.start(ctx); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}
