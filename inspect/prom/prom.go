// Package prom adds the metrics of this library to a registry of Prometheus's client library, for
// programs that have one already. Others need no client library: a metrics.Collector is a handler.
//
//	c := metrics.Collect(metrics.OneIn(100))
//	registry.MustRegister(prom.Collector(c.WriteText))
package prom

import (
	"bytes"
	"io"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Collector returns a collector of the metrics that write writes in Prometheus's text format: the
// WriteText of a metrics.Collector, or of the durable.Metrics of an engine. Each scrape calls it
// once; an error fails the scrape. The collector describes no metrics in advance, since their
// labels come with the program's functions, so a registry cannot find it twice.
func Collector(write func(io.Writer) error) prometheus.Collector { return collector{write} }

type collector struct{ write func(io.Writer) error }

// Describe implements prometheus.Collector.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	var text bytes.Buffer
	err := c.write(&text)
	var families map[string]*dto.MetricFamily
	if err == nil {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err = parser.TextToMetricFamilies(&text)
	}
	if err != nil {
		to <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := prometheus.Labels{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			to <- metric{prometheus.NewDesc(f.GetName(), f.GetHelp(), nil, labels), m}
		}
	}
}

// metric is a metric that was read from the text.
type metric struct {
	desc *prometheus.Desc
	read *dto.Metric
}

// Desc implements prometheus.Metric.
func (m metric) Desc() *prometheus.Desc { return m.desc }

// Write implements prometheus.Metric.
func (m metric) Write(to *dto.Metric) error {
	to.Label, to.Counter = m.read.GetLabel(), m.read.GetCounter()
	to.Gauge, to.Histogram = m.read.GetGauge(), m.read.GetHistogram()
	return nil
}
