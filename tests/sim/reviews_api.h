// TokenReview and SubjectAccessReview: questions about the server's own tokens and permissions, which are answered and
// not stored. Server thread only.
#pragma once

#include "kube_events/base/clock.h"
#include "sim/access.h"
#include "sim/api_request.h"
#include "sim/resource_request.h"

namespace kube_events::sim {

class ReviewsApi {
 public:
  // Both must outlive the API.
  ReviewsApi(const AccessControl& access, const Clock& clock) : access_(access), clock_(clock) {}

  // Answers a review that is created.
  Reply Handle(const Request& request, const ResourceRequest& resource);

 private:
  const AccessControl& access_;
  const Clock& clock_;
};

}  // namespace kube_events::sim
