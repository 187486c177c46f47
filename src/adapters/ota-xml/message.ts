import type { SupplierContext } from '../../model/supplier.js';
import { attributes, element, escapeXml, prefixed, wrap } from '../xml/write-xml.js';
import { documentOf, securityHeader, type UsernameToken } from './envelope.js';
import type { OtaOptions } from './options.js';
import type { Vendors } from './vendors.js';

/** What request messages need besides the request itself. */
export interface RequestSetting {
  readonly options: OtaOptions;
  readonly vendors: Vendors;
  /** The credentials requestorId and password, if configured. */
  readonly requestorId?: string;
  readonly password?: string;
  /** The WS-Security credentials, if the supplier requires them. */
  readonly usernameToken?: UsernameToken | undefined;
}

/**
 * One OTA message, including the envelope. `content` is escaped XML; `more` are additional attributes of the root.
 * Never marked as a retransmission: bookings are sent once.
 */
export function message(
  name: string,
  content: string,
  context: SupplierContext,
  { options, usernameToken }: RequestSetting,
  more: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string {
  const auto = context.environment === 'production' ? 'Production' : 'Test';
  const root = attributes({
    [options.prefix === '' ? 'xmlns' : `xmlns:${options.prefix}`]: options.namespace,
    EchoToken: context.requestId,
    TimeStamp: new Date(context.now).toISOString(),
    Target: options.target === 'auto' ? auto : options.target,
    Version: options.versions[name] ?? options.version,
    PrimaryLangID: options.primaryLangId,
    ...more,
  });
  const body = prefixed(`<${name}${root}>${content}</${name}>`, options.prefix);
  return documentOf(body, options, usernameToken ? securityHeader(usernameToken, body, context) : '');
}

/**
 * The point of sale: residence and currency of the renter, our requestor id, and the agency (IATA number) on whose
 * behalf we call.
 */
export function pointOfSale(
  sale: { countryCode?: string; currency?: string; iata?: string },
  setting: RequestSetting,
): string {
  const { requestor, currency } = setting.options;
  const source = element(
    'Source',
    { ISOCountry: sale.countryCode, ISOCurrency: sale.currency ?? currency },
    element('RequestorID', {
      Type: requestor.type,
      ID: setting.requestorId ?? requestor.id,
      ID_Context: requestor.idContext,
      MessagePassword: setting.password,
    }),
  );
  // UIT 5: the travel agency on whose behalf the source calls.
  const agency = sale.iata === undefined ? '' : wrap('Source', element('RequestorID', { Type: '5', ID: sale.iata }));
  return wrap('POS', source + agency);
}

/** The Vendor of a request: its code, or the name of a brand without one. */
export function vendorElement(brand: string, { options, vendors }: RequestSetting): string {
  const code = vendors.codeOf(brand);
  if (code === undefined) return wrap('Vendor', escapeXml(brand));
  return element('Vendor', { Code: code, CodeContext: options.vendorCodeContext });
}
