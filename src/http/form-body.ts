import { errorCodes, type FastifyInstance } from 'fastify';
import { routeSettings, Settings } from './route-settings.js';

const FORM = 'application/x-www-form-urlencoded';

/** The route reads a form; its body arrives as the undecoded text. Every other route refuses forms. */
export const ReadsForm = () => Settings({ readsForm: true });

/** Lets the routes marked with ReadsForm read forms. */
export function readForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string' }, (request, body, done) => {
    if (routeSettings(request).readsForm) done(null, body);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(FORM));
  });
}
