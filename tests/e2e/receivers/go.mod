module kube-events-exporter/tests/e2e/receivers

go 1.26.0
