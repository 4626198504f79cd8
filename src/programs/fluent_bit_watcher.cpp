#include "kube_events/app/watcher.h"

int main(int argc, char** argv) { return kube_events::RunWatcher(argc, argv); }
