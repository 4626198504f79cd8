// Package process runs the programs of a test and guarantees that they end
// with it.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"kube-events-exporter/tests/e2e/internal/poll"
)

// Process is one running program whose output goes to a file.
type Process struct {
	name    string
	logPath string
	cmd     *exec.Cmd
	done    chan struct{}
	waitErr error
}

// Start runs command with stdout and stderr appended to <dir>/<name>.log.
//
// The kernel kills the child when the thread that started it ends, so that a
// test binary that panics, times out or is killed leaves no orphan. That
// thread is therefore locked to a goroutine that lives as long as the child.
func Start(dir, name string, command *exec.Cmd) (*Process, error) {
	p := &Process{name: name, logPath: filepath.Join(dir, name+".log"), cmd: command, done: make(chan struct{})}
	log, err := os.OpenFile(p.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	command.Stdout, command.Stderr = log, log
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL

	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer log.Close()
		if err := command.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		p.waitErr = command.Wait()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exited returns an error that shows the log if the process has ended, nil
// while it runs. Whoever polls for something the process does gives up then.
func (p *Process) Exited() error {
	select {
	case <-p.done:
		return poll.Final{Err: fmt.Errorf("%s has ended: %v\n%s", p.name, p.cmd.ProcessState, p.LogTail(30))}
	default:
		return nil
	}
}

// Pid is the process' number, also after its end.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Signal sends sig to the process.
func (p *Process) Signal(sig syscall.Signal) error { return p.cmd.Process.Signal(sig) }

// Suspend stops the process by SIGSTOP and returns when all its threads stand
// still. SIGCONT lets it go on.
func (p *Process) Suspend() error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return poll.Until(context.Background(), 10*time.Second, func(context.Context) error {
		states, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid()))
		if err != nil || len(states) == 0 {
			return poll.Final{Err: fmt.Errorf("%s has no threads: %v", p.name, err)}
		}
		for _, path := range states {
			// A thread that has ended meanwhile stands still too.
			stat, err := os.ReadFile(path)
			if err == nil && !strings.Contains(string(stat), ") T ") {
				return fmt.Errorf("%s does not stand still", p.name)
			}
		}
		return nil
	})
}

// Wait returns the exit code (-1 after a signal), or an error if the process
// still runs after limit.
func (p *Process) Wait(limit time.Duration) (int, error) {
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
		return 0, fmt.Errorf("%s still runs after %v", p.name, limit)
	}
}

// Stop asks the process to end, and kills it if it does not within grace.
// The exit code is -1 if it had to be killed.
func (p *Process) Stop(grace time.Duration) (int, error) {
	if err := p.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, err
	}
	code, err := p.Wait(grace)
	if err == nil {
		return code, nil
	}
	p.Kill()
	return -1, fmt.Errorf("%s ignored SIGTERM for %v and was killed", p.name, grace)
}

// Kill ends the process at once and waits until it is gone.
func (p *Process) Kill() {
	_ = p.Signal(syscall.SIGKILL)
	<-p.done
}

// LogTail returns the last lines of the output.
func (p *Process) LogTail(lines int) string {
	data, err := os.ReadFile(p.logPath)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	if len(all) > lines {
		all = append([]string{"…"}, all[len(all)-lines:]...)
	}
	return fmt.Sprintf("--- log of %s\n%s\n---", p.name, strings.Join(all, "\n"))
}
