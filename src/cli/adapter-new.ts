import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { creatorOf, folderOf, nameOf } from './adapter-names.js';
import { codeFiles } from './adapter-new-code.js';
import { print } from './terminal.js';

const KINDS = ['ota-xml', 'rest', 'code'] as const;
const HEADER = '# yaml-language-server: $schema=../schema/supplier.schema.json';

/**
 * Writes the starter files of a new supplier: its YAML file and, for `code`, the folder of an adapter. Throws an Error
 * and writes nothing if the id is invalid, the kind is unknown or one of the files already exists.
 */
export function newAdapter(configFolder: string, id: string, kind: string): void {
  const known = KINDS.find((one) => one === kind);
  if (!known) throw new Error(`--kind must be one of ${KINDS.join(', ')}`);
  if (!/^[a-z][a-z0-9_]{1,30}$/.test(id))
    throw new Error(`"${id}" is not a valid id: use 2 to 31 lowercase letters, digits or _, starting with a letter`);
  const supplier = join(configFolder, 'suppliers', `${id}.yaml`);
  const files = new Map([[supplier, known === 'rest' ? restFile(id) : known === 'code' ? codeFile(id) : otaFile(id)]]);
  if (known === 'code') {
    const adapters = fileURLToPath(new URL('../../src/adapters', import.meta.url));
    for (const [name, text] of codeFiles(id)) files.set(join(adapters, folderOf(id), name), text);
  }
  const taken = [...files.keys()].filter((file) => existsSync(file));
  if (taken.length > 0)
    throw new Error(`nothing was written: already exists: ${taken.map((file) => relative('.', file)).join(', ')}`);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    print(`created: ${relative('.', file)}`);
  }
  print(nextSteps(id, known));
}

function nextSteps(id: string, kind: (typeof KINDS)[number]): string {
  const answer = kind === 'ota-xml' ? 'answer.xml' : 'answer.json';
  const steps = [
    ...(kind === 'code'
      ? [
          `add to src/adapters/index.ts: import { ${creatorOf(id)} } from './${folderOf(id)}/adapter.js'; and '${folderOf(id)}': ${creatorOf(id)},`,
          'npm run build',
        ]
      : []),
    `fill in config/suppliers/${id}.yaml; secrets come from environment variables`,
    `npm run gw -- adapter validate ${id}`,
    `npm run gw -- adapter record ${id} searchVehicles --request request.json --out ${answer}     (docs/examples/vehicles-request.json with future dates)`,
    `npm run gw -- adapter try ${id} searchVehicles --request request.json --response ${answer}`,
    `npm run gw -- adapter test ${id}`,
    'set state: live in its file; a running gateway applies it within two seconds',
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}`;
}

function otaFile(id: string): string {
  const upper = id.toUpperCase();
  return `${HEADER}
# An OpenTravel supplier. For all options of the dialect, see docs/ota-dialect.md.
id: ${id}
name: ${nameOf(id)}
adapter: ota-xml
# Not called while off. Change to live once it works.
state: 'off'
brands: [${nameOf(id)}]
# The test system, without a trailing slash. SUPPLIER_${upper}_URL overrides it.
url: https://ota.example.com
# Pickup countries that the supplier serves; empty = all.
countries: []
# Refer to secrets by environment variable. Never write them here.
credentials: { requestorId: '\${${upper}_REQUESTOR_ID}' }
options:
  # Code of each brand in VendorPref@Code.
  vendorCodes: { ${nameOf(id)}: XX }
  # soap11 if the supplier requires an envelope.
  envelope: bare
  # Format of the supplier's airport location codes: '{iata}', '{iata}T01', …
  locationCode: { context: IATA, template: '{iata}' }
# In milliseconds. Each must be less than the request budget.
timeoutMs: { searchVehicles: 4000, book: 10000 }
# To use a simulator until you have access, remove url and credentials above and enable this line.
# simulator: { dialect: ota, seed: 7 }
`;
}

function codeFile(id: string): string {
  const upper = id.toUpperCase();
  return `${HEADER}
# A supplier with its own dialect: src/adapters/${folderOf(id)}/.
id: ${id}
name: ${nameOf(id)}
adapter: ${folderOf(id)}
# Not called while off. Change to live once it works.
state: 'off'
brands: [${nameOf(id)}]
# The test system, without a trailing slash. SUPPLIER_${upper}_URL overrides it.
url: https://api.example.com
# Refer to secrets by environment variable. Never write them here.
credentials: { apiKey: '\${${upper}_API_KEY}' }
`;
}

function restFile(id: string): string {
  const upper = id.toUpperCase();
  return `${HEADER}
# A REST supplier; \`options\` is its manifest: docs/rest-manifest.md.
# Complete examples: dune.yaml (books in two steps), ember.yaml (flat JSON).
id: ${id}
name: ${nameOf(id)}
adapter: rest
# Not called while off. Change to live once it works.
state: 'off'
brands: [${nameOf(id)}]
# The test system, without a trailing slash. SUPPLIER_${upper}_URL overrides it.
url: https://api.example.com
# Pickup countries that the supplier serves; empty = all.
countries: []
# Refer to secrets by environment variable. Never write them here.
credentials: { apiKey: '\${${upper}_API_KEY}' }
# In milliseconds. Each must be less than the request budget.
timeoutMs: { searchVehicles: 4000, book: 10000 }
# To use recorded answers instead of a test system, put them in ${id}/searchVehicles.json next to this file,
# remove url and enable this line.
# simulator: { dialect: recorded }
options:
  headers: { accept: application/json }
  auth: { kind: header, headers: { x-api-key: '{apiKey}' } }
`;
}
