import { GATEWAY_DASHBOARDS } from './gateway-dashboards.mjs';
import { SUPPLIER_DASHBOARDS } from './supplier-dashboards.mjs';

/** All dashboards; `dashboards.d.mts` describes them. */
export const DASHBOARDS = [...SUPPLIER_DASHBOARDS, ...GATEWAY_DASHBOARDS];
