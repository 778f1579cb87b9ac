package web

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	clients   *prometheus.GaugeVec
	published prometheus.Counter
	released  *prometheus.CounterVec
	snapshots *prometheus.CounterVec
	slow      *prometheus.CounterVec
	malformed prometheus.Counter
	waiting   *prometheus.GaugeVec
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: "tabletop", Subsystem: "web", Name: name, Help: help}
	}
	gauge := func(name, help string) prometheus.GaugeOpts {
		return prometheus.GaugeOpts{Namespace: "tabletop", Subsystem: "web", Name: name, Help: help}
	}
	m := &metrics{
		clients:   prometheus.NewGaugeVec(gauge("clients", "Open websocket connections."), []string{"role"}),
		published: prometheus.NewCounter(counter("events_published_total", "Events given to the hub.")),
		released:  prometheus.NewCounterVec(counter("events_released_total", "Events that became visible to a role, after its delay and filter."), []string{"role"}),
		snapshots: prometheus.NewCounterVec(counter("snapshots_total", "Snapshots sent, by why."), []string{"why"}),
		slow:      prometheus.NewCounterVec(counter("slow_clients_total", "Times a client did not read fast enough, by view."), []string{"view"}),
		malformed: prometheus.NewCounter(counter("malformed_messages_total", "Messages of clients that could not be understood.")),
		waiting:   prometheus.NewGaugeVec(gauge("events_delayed", "Events that wait for a role's delay."), []string{"role"}),
	}
	for _, c := range []prometheus.Collector{m.clients, m.published, m.released, m.snapshots, m.slow, m.malformed, m.waiting} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
