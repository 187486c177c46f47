/** A panel: title, unit, and what it draws, expression → legend. Units are those of Grafana. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly shows: Readonly<Record<string, string>>;
  readonly kind?: 'stat' | 'heatmap';
}

/** A dashboard; its file is `<name>.json`. */
export interface Dashboard {
  readonly name: string;
  readonly title: string;
  readonly hasSupplier?: true;
  readonly panels: readonly Panel[];
}

export const DASHBOARDS: readonly Dashboard[];
