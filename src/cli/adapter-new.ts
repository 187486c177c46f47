import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { creatorOf, folderOf, nameOf } from './adapter-names.js';
import { codeFiles } from './adapter-new-code.js';

const KINDS = ['ota-xml', 'rest', 'code'] as const;
const HEADER = '# yaml-language-server: $schema=../schema/supplier.schema.json';

/**
 * Writes what a new supplier begins with: its file and, for `code`, the folder of an adapter. Throws an Error, and writes nothing, when the id is no id, the
 * kind does not exist or one of the files is there already.
 */
export function newAdapter(configFolder: string, id: string, kind: string): void {
  const known = KINDS.find((one) => one === kind);
  if (!known) throw new Error(`--kind must be one of ${KINDS.join(', ')}`);
  if (!/^[a-z][a-z0-9_]{1,30}$/.test(id))
    throw new Error(`"${id}" is no id: 2 to 31 small letters, digits and _, a letter first`);
  const supplier = join(configFolder, 'suppliers', `${id}.yaml`);
  const files = new Map([[supplier, known === 'rest' ? restFile(id) : known === 'code' ? codeFile(id) : otaFile(id)]]);
  if (known === 'code') {
    const adapters = fileURLToPath(new URL('../../src/adapters', import.meta.url));
    for (const [name, text] of codeFiles(id)) files.set(join(adapters, folderOf(id), name), text);
  }
  const taken = [...files.keys()].filter((file) => existsSync(file));
  if (taken.length > 0)
    throw new Error(`nothing was written: ${taken.map((file) => relative('.', file)).join(', ')} is there already`);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`written: ${relative('.', file)}`);
  }
  console.log(nextSteps(id, known));
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
    `npm run gw -- adapter record ${id} searchVehicles --request request.json --out ${answer}     (docs/examples/vehicles-request.json with dates ahead)`,
    `npm run gw -- adapter try ${id} searchVehicles --request request.json --response ${answer}`,
    `npm run gw -- adapter test ${id}`,
    'state: live in its file; a running gateway takes it within a second or two',
  ];
  return `\nNext:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join('\n')}`;
}

function otaFile(id: string): string {
  const upper = id.toUpperCase();
  return `${HEADER}
# An OpenTravel supplier. All switches of the dialect: docs/ota-dialect.md.
id: ${id}
name: ${nameOf(id)}
adapter: ota-xml
# off until it works: it is asked nothing.
state: 'off'
brands: [${nameOf(id)}]
# Its test system, without a slash at the end. SUPPLIER_${upper}_URL goes before it.
url: https://ota.example.com
# Pickup countries it serves; empty = all.
countries: []
# Secrets are named here and read from the environment, never written here.
credentials: { requestorId: '\${${upper}_REQUESTOR_ID}' }
options:
  # Brand → its code in VendorPref@Code.
  vendorCodes: { ${nameOf(id)}: XX }
  # soap11 where it wants an envelope.
  envelope: bare
  # Its spelling of an airport's counter: '{iata}', '{iata}T01', …
  locationCode: { context: IATA, template: '{iata}' }
# Milliseconds; each shorter than the budget of a request.
timeoutMs: { searchVehicles: 4000, book: 10000 }
# Played by a simulator instead of a url, while you have no access: remove url and credentials above.
# simulator: { dialect: ota, seed: 7 }
`;
}

function codeFile(id: string): string {
  const upper = id.toUpperCase();
  return `${HEADER}
# A supplier of a dialect of its own: src/adapters/${folderOf(id)}/.
id: ${id}
name: ${nameOf(id)}
adapter: ${folderOf(id)}
# off until it works: it is asked nothing.
state: 'off'
brands: [${nameOf(id)}]
# Its test system, without a slash at the end. SUPPLIER_${upper}_URL goes before it.
url: https://api.example.com
# Secrets are named here and read from the environment, never written here.
credentials: { apiKey: '\${${upper}_API_KEY}' }
`;
}

function restFile(id: string): string {
  const upper = id.toUpperCase();
  return `${HEADER}
# A REST supplier; \`options\` is its manifest: docs/rest-manifest.md. Whole ones: dune.yaml (books in two steps), ember.yaml (flat JSON).
id: ${id}
name: ${nameOf(id)}
adapter: rest
# off until it works: it is asked nothing.
state: 'off'
brands: [${nameOf(id)}]
# Its test system, without a slash at the end. SUPPLIER_${upper}_URL goes before it.
url: https://api.example.com
# Pickup countries it serves; empty = all.
countries: []
# Secrets are named here and read from the environment, never written here.
credentials: { apiKey: '\${${upper}_API_KEY}' }
# Milliseconds; each shorter than the budget of a request.
timeoutMs: { searchVehicles: 4000, book: 10000 }
# Only answers, no test system: put them into ${id}/searchVehicles.json beside this file, remove url, and let them play it.
# simulator: { dialect: recorded }
options:
  headers: { accept: application/json }
  auth: { kind: header, headers: { x-api-key: '{apiKey}' } }
`;
}
