# docker build -t kube-events-exporter:0.1.0 .      (podman build and other builders of OCI images work too)

FROM debian:bookworm-slim AS build
WORKDIR /src
# Alone, so that a change of the code does not install everything again.
COPY scripts/install-deps.sh scripts/
RUN scripts/install-deps.sh && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake --preset release -DKUBE_EVENTS_BUILD_TESTS=OFF \
    && scripts/build.sh release \
    && cmake --install build/release --strip --prefix /out

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="kube-events-exporter" \
      org.opencontainers.image.description="Counts every occurrence of Kubernetes Events for Prometheus" \
      org.opencontainers.image.licenses="Apache-2.0"
# The shared libraries that the program is linked with; ca-certificates for API servers of a public CA.
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
       ca-certificates libabsl20220623 libcpprest2.10 libprometheus-cpp-core1.0 libsimdjson14 libspdlog1.10 libssl3 \
       libstdc++6 libxxhash0 libyaml-cpp0.7 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/bin/kube-events-exporter /usr/local/bin/
COPY LICENSE /usr/share/doc/kube-events-exporter/copyright
# By number, so that runAsNonRoot can be checked.
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/kube-events-exporter"]
