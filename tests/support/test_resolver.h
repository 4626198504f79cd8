// Name resolution that fails, hangs and recovers as a test wants, in place of the C library's: for host names that end
// in ".test" (RFC 6761), which lead to 127.0.0.1. A shared library, so that it comes after the functions of the program
// and before those of the C library; it can also be preloaded into a program, where TEST_RESOLVER=fail or hang decides.
// Link kube_events::test_resolver. Any thread.
#pragma once

namespace kube_events {

enum class TestResolution { kWorks, kFails, kHangs };

// For lookups from now on; also lets go of those that hang.
void SetTestResolution(TestResolution resolution);

}  // namespace kube_events
