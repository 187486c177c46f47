import type { Language } from '../config/languages.js';
import { ACRISS_VERSION, decodeSipp } from '../model/acriss.js';
import { DRAWING, silhouetteOf } from '../representations/silhouettes.js';
import type { WireView } from '../representations/wire-view.js';
import { wordsIn } from '../representations/words/words-in.js';
import { ApiError } from '../status/api-error.js';
import type { vehicleContentWire } from './vehicles.wire.js';

/** The content of a SIPP code in a response. */
type VehicleContent = WireView<typeof vehicleContentWire>;

/**
 * Decodes a SIPP code, in any case, in words. Throws ApiError 400 if it isn't four letters; 404 if no letter of it is
 * known, because there is nothing to say about it.
 */
export function vehicleContent(code: string, language: Language): VehicleContent {
  const sippCode = code.toUpperCase();
  const sipp = /^[A-Z]{4}$/.test(sippCode) ? decodeSipp(sippCode) : undefined;
  if (!sipp)
    throw ApiError.of('invalid_format', '"sipp_code" must be four letters, such as ECMR.', { field: 'sipp_code' });
  const { category, type, transmission, drive, fuel, airConditioning } = sipp;
  if (category === null && type === null)
    throw ApiError.of('resource_failure', 'There is no such SIPP code: neither its category nor its type is known.');
  const words = wordsIn(language);
  const { body, size } = silhouetteOf(category, type);
  return {
    sipp_code: sippCode,
    edition: ACRISS_VERSION,
    category: category && { value: category, name: words.category[category] },
    type: type && { value: type, name: words.type[type] },
    transmission: transmission && { value: transmission, name: words.transmission[transmission] },
    drive: drive && { value: drive, name: words.drive[drive] },
    fuel: fuel && { value: fuel, name: words.fuel[fuel] },
    air_conditioning:
      airConditioning === null
        ? null
        : { value: airConditioning, name: words.air_conditioning[airConditioning ? 'true' : 'false'] },
    image: { url: `/images/vehicles/${body}-${size}.svg`, body, size, ...DRAWING },
  };
}
