#include "kube_events/app/exporter.h"

int main(int argc, char** argv) { return kube_events::RunExporter(argc, argv); }
