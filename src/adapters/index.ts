import type { CreateAdapter } from '../model/supplier.js';
import { createAbgAdapter } from './abg/adapter.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import { createRestAdapter } from './rest/adapter.js';

/**
 * Every bundled adapter kind, by the name used for `adapter:` in `config/suppliers/<id>.yaml`. To add one, create a
 * folder and add a line here.
 */
export const adapterKinds: Readonly<Record<string, CreateAdapter>> = {
  abg: createAbgAdapter,
  'ota-xml': createOtaXmlAdapter,
  rest: createRestAdapter,
};
