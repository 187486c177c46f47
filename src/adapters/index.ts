import type { CreateAdapter } from '../model/supplier.js';
import { createAbgAdapter } from './abg/adapter.js';
import { createOtaXmlAdapter } from './ota-xml/adapter.js';
import { createRestAdapter } from './rest/adapter.js';

/** Every adapter kind that ships, by the name used in `config/suppliers/<id>.yaml` (`adapter:`). A new one is a folder and a line here. */
export const adapterKinds: Readonly<Record<string, CreateAdapter>> = {
  abg: createAbgAdapter,
  'ota-xml': createOtaXmlAdapter,
  rest: createRestAdapter,
};
