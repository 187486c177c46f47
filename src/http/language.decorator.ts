import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LANGUAGES, type Language } from '../config/languages.js';
import { headerParameter } from './operation-parts.js';
import { fitsLanguage, preferred } from './preferred.js';

/** The description of Accept-Language, for operations that read it. */
export const LANGUAGE_HEADER = headerParameter(
  'Accept-Language',
  `The language of names: ${LANGUAGES.join(', ')}, with quality values. Default and fallback: en. Values, and the texts of errors, are the same in every language.`,
);

/** Handler parameter: the language that the request prefers; English if it names none that is known. */
export const PreferredLanguage = createParamDecorator((_nothing: unknown, host: ExecutionContext): Language => {
  const { headers } = host.switchToHttp().getRequest<FastifyRequest>();
  return languageOf(headers['accept-language']);
});

/** The language that an Accept-Language header prefers. */
export function languageOf(header: string | undefined): Language {
  return preferred(header, LANGUAGES, fitsLanguage) ?? LANGUAGES[0];
}
