import { Secret, TOTP } from 'otpauth';

/** RFC 6238 with the values that every authenticator app supports. */
const CODES = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Codes of one step before and after now are accepted, for clocks that differ. */
const STEPS_AROUND = 1;

/** A new random secret, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The `otpauth://` URI that authenticator apps read from a QR code. `issuer` and `label` name the entry in the app. */
export function totpUri(secret: string, issuer: string, label: string): string {
  return totpOf(secret, issuer, label).toString();
}

/** The time step (Unix time ÷ 30 s) that a code belongs to; undefined if it is wrong, too old, or not six digits. */
export function stepOfCode(secret: string, code: string, nowMs = Date.now()): number | undefined {
  // The library throws for some other texts.
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = totpOf(secret);
  const delta = totp.validate({ token: code, timestamp: nowMs, window: STEPS_AROUND });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

function totpOf(secret: string, issuer = '', label = ''): TOTP {
  return new TOTP({ ...CODES, issuer, label, secret: Secret.fromBase32(secret) });
}
