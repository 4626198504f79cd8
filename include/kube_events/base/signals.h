// Termination signals as something to wait for, so that no handler runs in the middle of other code.
#pragma once

namespace kube_events {

// Blocks SIGTERM and SIGINT for this thread and all that it starts later, and ignores SIGPIPE. Call first in main.
void BlockTerminationSignals();

// Waits until one of the blocked signals comes and returns its number. Only the main thread calls it.
int WaitForTerminationSignal();

// Makes WaitForTerminationSignal return: the way for a loop that failed to end the process in good order. Any thread.
void RequestTermination();

}  // namespace kube_events
