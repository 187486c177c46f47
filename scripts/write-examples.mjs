// Writes src/system/openapi-examples.json, the real answers in the API description, and src/portal/docs/error-answers.json, the
// entries on the page of errors, from the running gateway of this folder
// (npm start): node --experimental-transform-types scripts/write-examples.mjs. test/e2e/openapi-examples.spec.ts compares
// them with what a gateway answers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

const { takeErrorAnswers } = await import('../test/support/error-answers.ts');
const { takeExamples } = await import('../test/support/openapi-examples.ts');

const steps = JSON.parse(readFileSync(join(process.env.DATA_DIR ?? './data', 'first-steps.json'), 'utf8'));
const file = fileURLToPath(new URL('../src/system/openapi-examples.json', import.meta.url));
const named = (name) => steps.applications.find((application) => application.name === name);
const examples = await takeExamples({
  baseUrl: steps.base_url,
  demo: credentialsOf('demo'),
  unsubscribed: credentialsOf('demo-unsubscribed'),
});
writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`);
const { client_id, client_secret } = credentialsOf('demo');
const issued = await fetch(`${steps.base_url}/oauth/token/v1`, { headers: { client_id, client_secret } });
const answers = await takeErrorAnswers(steps.base_url, (await issued.json()).access_token);
const errorsFile = fileURLToPath(new URL('../src/portal/docs/error-answers.json', import.meta.url));
writeFileSync(errorsFile, `${JSON.stringify(answers, null, 2)}\n`);

function credentialsOf(name) {
  const { client_id, client_secret } = named(name);
  return { client_id, client_secret };
}
