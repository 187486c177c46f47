/** The columns of Grafana's grid are 24; each row has two graphs or four numbers. */
const HEIGHT = 8;
const WIDTHS = { timeseries: 12, heatmap: 12, stat: 6 };
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** The JSON that Grafana (10 or newer) imports. `dashboard` is one of DASHBOARDS. */
export function grafanaDashboard({ name, title, hasSupplier, panels }) {
  return {
    uid: `forecourt-${name}`,
    title,
    tags: ['forecourt'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        variable('job', 'label_values(forecourt_part_up, job)', true),
        ...(hasSupplier
          ? [variable('supplier', 'label_values(forecourt_slo_target{supplier!=""}, supplier)', false)]
          : []),
      ],
    },
    panels: placed(panels),
  };
}

function variable(name, query, hasAll) {
  return {
    name,
    type: 'query',
    datasource: SOURCE,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
    multi: hasAll,
    includeAll: hasAll,
    ...(hasAll ? { allValue: '.+', current: { text: 'All', value: '$__all' } } : {}),
  };
}

function placed(panels) {
  let [x, y] = [0, 0];
  return panels.map(({ title, unit, shows, kind = 'timeseries' }, index) => {
    const w = WIDTHS[kind];
    if (x + w > 24) [x, y] = [0, y + HEIGHT];
    const gridPos = { h: HEIGHT, w, x, y };
    x += w;
    return {
      id: index + 1,
      title,
      type: kind,
      datasource: SOURCE,
      gridPos,
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: Object.entries(shows).map(([expr, legendFormat], number) => ({
        refId: String.fromCharCode(65 + number),
        datasource: SOURCE,
        expr,
        legendFormat,
        ...(kind === 'stat' ? { instant: true } : {}),
        ...(kind === 'heatmap' ? { format: 'heatmap' } : {}),
      })),
    };
  });
}
