package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"kube-events-exporter/tests/e2e/internal/process"
)

// A process is idle when it used no more than this share of a core for this
// long.
const (
	idleWindow = 400 * time.Millisecond
	idleShare  = 0.02
)

// cpuTime is what all threads of a process have used so far, user and system,
// by the process' own clock of the kernel: exact, however busy the machine is.
func cpuTime(pid int) (time.Duration, error) {
	// As clock_getcpuclockid(3) has it.
	clock := int32(^pid<<3 | 2)
	var used unix.Timespec
	if err := unix.ClockGettime(clock, &used); err != nil {
		return 0, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// waitIdle returns the CPU time used up to the moment at which the process
// came to rest.
func waitIdle(ctx context.Context, p *process.Process) (time.Duration, error) {
	last, err := cpuTime(p.Pid())
	for err == nil {
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("process %d does not come to rest: %w", p.Pid(), ctx.Err())
		case <-time.After(idleWindow):
		}
		if ended := p.Exited(); ended != nil {
			return 0, ended
		}
		var now time.Duration
		if now, err = cpuTime(p.Pid()); err == nil && now-last <= time.Duration(idleShare*float64(idleWindow)) {
			return last, nil
		}
		last = now
	}
	return 0, err
}

var memoryLines = regexp.MustCompile(`(VmRSS|VmHWM):\s+(\d+) kB`)

// memory is the resident set of a process in bytes, now and at its peak.
func memory(pid int) (now, peak float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	values := map[string]float64{}
	for _, line := range memoryLines.FindAllStringSubmatch(string(status), -1) {
		kilobytes, _ := strconv.ParseFloat(line[2], 64)
		values[line[1]] = kilobytes * 1024
	}
	return values["VmRSS"], values["VmHWM"], nil
}
