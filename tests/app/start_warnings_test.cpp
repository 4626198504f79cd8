#include "app/start_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube_events {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(StartWarnings, TypesThatNoEventHasAreSaid) {
  ExporterOptions options;
  options.event_types = {"Normal", "!Warning"};
  EXPECT_THAT(StartWarnings(options, {}), IsEmpty());
  options.event_types = {"warning", "Normal", "! Error"};
  EXPECT_THAT(StartWarnings(options, {}), ElementsAre(HasSubstr("\"warning\""), HasSubstr("\"Error\"")));
}

TEST(StartWarnings, VariablesThatLookLikeOursAndAreNotAreSaid) {
  EXPECT_THAT(
      StartWarnings({}, {"KUBE_EVENTS_EXPORTER_EVENT_TYPES=Warning", "KUBE_EVENTS_EXPORTER_PORT=tcp://10.0.0.1:80",
                         "KUBE_EVENTS_EXPORTER_PORT_8080_TCP_ADDR=10.0.0.1",
                         "KUBE_EVENTS_EXPORTER_SERVICE_HOST=10.0.0.1", "PATH=/bin", "NONSENSE"}),
      IsEmpty());
  EXPECT_THAT(StartWarnings({}, {"KUBE_EVENTS_EXPORTER_EVENT_TYPE=Warning"}),
              ElementsAre(HasSubstr("KUBE_EVENTS_EXPORTER_EVENT_TYPE ")));
}

}  // namespace
}  // namespace kube_events
