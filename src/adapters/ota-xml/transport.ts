import type { z } from 'zod';
import type { Encoding, Envelope, UsernameToken } from './envelope.js';
import type { OtaOptions } from './options.js';

type Credentials = Readonly<Record<string, string>>;

/** How one supplier is called: the headers of every call, and the credentials inside each message. */
export interface Transport {
  readonly headers: Readonly<Record<string, string>>;
  readonly usernameToken: UsernameToken | undefined;
}

const MEDIA_TYPES: { readonly [E in Envelope]: string } = {
  bare: 'text/xml',
  soap11: 'text/xml',
  soap12: 'application/soap+xml',
};

/** Adds an issue for each credential that the options name and the supplier's file doesn't have. */
export function requireCredentials(credentials: Credentials): (options: OtaOptions, context: z.RefinementCtx) => void {
  return ({ basicAuth, wsSecurity, headers }, context) => {
    const need = (name: string, path: readonly string[]): void => {
      if (credentials[name] !== undefined) return;
      const known = Object.keys(credentials).join(', ') || 'none';
      context.addIssue({
        code: 'custom',
        path: [...path],
        message: `there is no credential "${name}"; available credentials: ${known}`,
      });
    };
    for (const [option, names] of [
      ['basicAuth', basicAuth],
      ['wsSecurity', wsSecurity],
    ] as const)
      for (const key of ['username', 'password'] as const) if (names) need(names[key], [option, key]);
    for (const [header, text] of Object.entries(headers)) {
      const names = namesIn(text);
      for (const name of names) need(name, ['headers', header]);
      if (names.every((name) => credentials[name] !== undefined) && !/^[\x20-\x7e]*$/.test(filled(text, credentials)))
        context.addIssue({
          code: 'custom',
          path: ['headers', header],
          message: 'has characters that a header cannot carry; use printable ASCII',
        });
    }
  };
}

/** The transport of a supplier whose credentials were required. */
export function transportOf(options: OtaOptions, credentials: Credentials): Transport {
  const { basicAuth, envelope, soapAction, wsSecurity } = options;
  const headers: Record<string, string> = {};
  for (const [name, text] of Object.entries(options.headers)) headers[name.toLowerCase()] = filled(text, credentials);
  if (basicAuth) {
    const pair = `${credentials[basicAuth.username]}:${credentials[basicAuth.password]}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  if (envelope === 'soap11') headers.soapaction = `"${soapAction}"`;
  return {
    headers: {
      ...headers,
      'content-type': contentTypeOf(options),
      accept: 'text/xml, application/xml, application/soap+xml',
    },
    usernameToken: wsSecurity && {
      type: wsSecurity.type,
      username: credentials[wsSecurity.username] ?? '',
      password: credentials[wsSecurity.password] ?? '',
    },
  };
}

/** SOAP 1.2 has its action in the content type. */
function contentTypeOf({ contentType, envelope, encoding, soapAction }: OtaOptions & { encoding: Encoding }): string {
  if (contentType !== undefined) return contentType;
  const action = envelope === 'soap12' && soapAction !== '' ? `; action="${soapAction}"` : '';
  return `${MEDIA_TYPES[envelope]}; charset=${encoding}${action}`;
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

function filled(text: string, credentials: Credentials): string {
  return text.replace(/\{(\w+)\}/g, (_all, name: string) => credentials[name] ?? '');
}
