# docker build -t kube-events-exporter:0.1.0 .      (podman build and other builders of OCI images work too)

ARG FLUENT_BIT=fluent/fluent-bit:5.1.1

FROM debian:bookworm-slim AS build
WORKDIR /src
# Alone, so that a change of the code does not install everything again.
COPY scripts/install-deps.sh scripts/
RUN scripts/install-deps.sh && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake --preset release -DKUBE_EVENTS_BUILD_TESTS=OFF \
    && scripts/build.sh release \
    && cmake --install build/release --strip --prefix /out

# What fluent-bit-watcher is linked with, to stand beside it in an image that has none of it.
FROM build AS watcher-files
RUN mkdir -p /watcher/bin /watcher/lib/fluent-bit-watcher \
    && cp /out/bin/fluent-bit-watcher /watcher/bin/ \
    && ldd /out/bin/fluent-bit-watcher | awk '$3 ~ /^\// && $1 !~ /^(libc|libm)\.so/ {print $3}' \
       | xargs -I FILE cp -L FILE /watcher/lib/fluent-bit-watcher/

# docker build --target fluent-bit-watcher -t fluent-bit-watcher:0.1.0 .
# Fluent Bit's own image, or any other one of it with the C library of Debian 12 or later: --build-arg FLUENT_BIT=...
FROM ${FLUENT_BIT} AS fluent-bit-watcher
COPY --from=watcher-files /watcher/ /usr/local/
COPY LICENSE /usr/share/doc/fluent-bit-watcher/copyright
ENTRYPOINT ["/usr/local/bin/fluent-bit-watcher"]

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
