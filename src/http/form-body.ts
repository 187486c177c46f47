import { errorCodes, type FastifyInstance } from 'fastify';
import { routeSettings, Settings } from './route-settings.js';

const FORM = 'application/x-www-form-urlencoded';

/** Marks a route that accepts form bodies, as undecoded text. All other routes reject forms. */
export const ReadsForm = () => Settings({ readsForm: true });

/** Parses form bodies for routes marked with ReadsForm. */
export function readForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string' }, (request, body, done) => {
    if (routeSettings(request).readsForm) done(null, body);
    else done(new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(FORM));
  });
}
