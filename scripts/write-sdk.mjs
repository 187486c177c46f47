// Writes the SDK's types from the newest released API description (npm run sdk).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SDK_TYPES, sdkTypes } from './sdk-types.mjs';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, SDK_TYPES), await sdkTypes(root));
