// A dashboard of Grafana by its own types. They leave open what a panel's kind and a data source add to them; that is
// closed here for the kinds that ours has. A test writes the dashboard below this, because the compiler looks for
// unknown fields in literals only.
import type { Dashboard, DataQuery, GraphFieldConfig, Panel } from "@grafana/schema";
import type { Options as Stat } from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type { Options as TimeSeries } from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";

// A query of the plugin for Prometheus, which publishes no types.
interface PrometheusQuery extends DataQuery {
  expr: string;
  legendFormat?: string;
}

type PanelOf<Kind extends string, Options, Custom> = Omit<Panel<Options, Custom>, "type" | "options" | "targets"> & {
  type: Kind;
  options?: Partial<Options>;
  targets: PrometheusQuery[];
};

type ClosedDashboard = Omit<Dashboard, "panels"> & {
  panels: (PanelOf<"stat", Stat, object> | PanelOf<"timeseries", TimeSeries, GraphFieldConfig>)[];
};

