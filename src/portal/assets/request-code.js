// A request as code in six languages. The documentation renders it on the server, the console in the browser. What a visitor or
// a link entered only ever becomes a quoted literal.

/** A value that the code reads from an environment variable, such as a secret. */
export class Variable {
  constructor(name) {
    this.name = name;
  }
}

const partsOf = (text) => joined([text].flat());

/** Joins neighboring strings. */
function joined(parts) {
  const result = [];
  for (const part of parts) {
    if (part instanceof Variable || result.length === 0 || result.at(-1) instanceof Variable) result.push(part);
    else result[result.length - 1] += part;
  }
  return result.filter((part) => part !== '');
}

/** Percent-encodes a text, except for characters that are allowed in a query and easier to read as they are. */
const encoded = (text) => encodeURIComponent(text).replace(/%(3A|2C)/g, decodeURIComponent);
const encodedValue = (value) => (value instanceof Variable ? value : encoded(String(value)));

/** The address of a request, as parts of a text. */
export function addressOf({ template, path, query }, origin = '') {
  const pieces = template
    .split(/\{(\w+)\}/)
    .map((piece, at) => (at % 2 === 1 ? encodedValue(path[piece] ?? '') : piece));
  const pairs = Object.entries(query).flatMap(([name, value], at) => [
    `${at === 0 ? '?' : '&'}${encoded(name)}=`,
    encodedValue(value),
  ]);
  return joined([origin, ...pieces, ...pairs]);
}

/** A JSON value as parts of a text, in which variables are the contents of strings. */
function jsonText(value, indent = '') {
  if (value instanceof Variable) return ['"', value, '"'];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Object.entries(value).flatMap(([name, item], at) => [
    `${at === 0 ? '' : ','}\n${indent}  ${open === '[' ? '' : `${JSON.stringify(name)}: `}`,
    ...jsonText(item, `${indent}  `),
  ]);
  return items.length === 0 ? [open + close] : joined([open, ...items, `\n${indent}${close}`]);
}

/** JSON on one line, for languages in which line breaks in a string are hard to read. */
const jsonLine = (value) =>
  jsonText(value).map((part) => (part instanceof Variable ? part : part.replace(/\n\s*/g, '')));

// ---- literals

const shellQuoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
/** A word of a shell command: in double quotes if nothing around its variables has a meaning there. */
function shellWord(text) {
  const parts = partsOf(text);
  if (!parts.some((part) => part instanceof Variable)) return shellQuoted(parts.join(''));
  const isPlain = parts.every((part) => part instanceof Variable || /^[^"$`\\!]*$/.test(part));
  const write = isPlain ? (part) => part : shellQuoted;
  const words = parts.map((part) =>
    part instanceof Variable ? `${isPlain ? '' : '"'}$${part.name}${isPlain ? '' : '"'}` : write(part),
  );
  return isPlain ? `"${words.join('')}"` : words.join('');
}

/** JSON in ASCII is a literal of Java and C#, too. */
const asciiQuoted = (text) =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
const phpQuoted = (text) => `'${text.replace(/[\\']/g, '\\$&')}'`;
const scriptQuoted = (text) =>
  /^[\x20-\x7e]*$/.test(text) && !/['\\]/.test(text) ? `'${text}'` : JSON.stringify(text);

/** How a language writes a text with variables. */
const writer = (literal, variable, plus) => (text) => {
  const parts = partsOf(text);
  const terms = parts.map((part) => (part instanceof Variable ? variable(part.name) : literal(part)));
  return terms.length === 0 ? literal('') : terms.join(plus);
};
const inPython = writer(JSON.stringify, (name) => `os.environ["${name}"]`, ' + ');
const inJava = writer(asciiQuoted, (name) => `System.getenv("${name}")`, ' + ');
const inPhp = writer(phpQuoted, (name) => `getenv('${name}')`, ' . ');
const inCsharp = writer(asciiQuoted, (name) => `Environment.GetEnvironmentVariable("${name}")`, ' + ');
const inScript = writer(scriptQuoted, (name) => `String(process.env.${name})`, ' + ');

const PYTHON = {
  text: inPython,
  key: JSON.stringify,
  words: { true: 'True', false: 'False', null: 'None' },
  step: '    ',
};
const SCRIPT = {
  text: inScript,
  key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : scriptQuoted(name)),
  words: {},
  step: '  ',
};

/** A JSON value as a literal of Python or TypeScript. Lists of parts are texts. */
function literalOf(value, language, indent = '') {
  const { text, key, words, step } = language;
  if (typeof value === 'string' || value instanceof Variable) return text(value);
  if (typeof value !== 'object' || value === null) return words[String(value)] ?? String(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Object.entries(value).map(([name, item]) => {
    const label = open === '[' ? '' : `${key(name)}: `;
    return `${indent}${step}${label}${literalOf(item, language, indent + step)},\n`;
  });
  return items.length === 0 ? open + close : `${open}\n${items.join('')}${indent}${close}`;
}

/** Headers as an object literal; a header is a text and may have variables. */
const headersOf = (headers, { text, key, step }, indent) =>
  `{\n${headers.map(({ name, value }) => `${indent}${step}${key(name)}: ${text(value)},\n`).join('')}${indent}}`;

// ---- languages

function curlOf({ method, headers, json, form }, address) {
  const parts = [`curl -i ${method === 'GET' ? '' : `-X ${method} `}${shellWord(address)}`];
  for (const { name, value } of headers) parts.push(`-H ${shellWord([`${name}: `, value].flat())}`);
  for (const { name, value } of form ?? []) parts.push(`--data-urlencode ${shellWord([`${name}=`, value].flat())}`);
  if (json) parts.push(`-d ${shellWord(jsonText(json))}`);
  return parts.join(' \\\n  ');
}

/** Operations that the SDK has methods for: the call, from the values of the request. */
const SDK_METHODS = {
  searchLocations: ({ query }) => `searchLocations(${literalOf(query, SCRIPT)}`,
  searchVehicles: ({ query }) => `searchVehicles(${literalOf(query, SCRIPT)}`,
  searchVehiclesByBody: ({ json }) => `searchVehicles(${literalOf(json, SCRIPT)}`,
  priceOffer: ({ json }) => `priceOffer(${literalOf(json, SCRIPT)}`,
  createReservation: ({ json }) => `book(${literalOf(json, SCRIPT)}`,
  readReservation: ({ path }) => `readReservation(${inScript(path.reservation_id)}`,
  cancelReservation: ({ path }) => `cancelReservation(${inScript(path.reservation_id)}`,
};
/** Only with `fetch`: they have no JSON, are part of other methods, or run before there is a token. */
const WITHOUT_SDK = /^(?:readSearch|listReservations|vehiclePicture|supplierMark|openapi|oauthMetadata|live|ready)$/;

/** With the SDK if the request has the application's token. */
function typeScriptOf(request, address, origin) {
  const { id, method, template, path, query, headers, json } = request;
  const isOrdinary = headers.some(
    ({ name, value }) => name === 'Authorization' && partsOf(value).at(-1) instanceof Variable,
  );
  if (!isOrdinary || WITHOUT_SDK.test(id)) return fetchOf(request, address);
  const given = Object.entries({ path, query }).filter(([, values]) => Object.keys(values).length > 0);
  const input = { ...Object.fromEntries(given), ...(json && { body: json }) };
  const call =
    SDK_METHODS[id]?.(request) ??
    `request('${method.toLowerCase()}', ${inScript(template)}, ${literalOf(input, SCRIPT)}`;
  return [
    "import { Forecourt } from '@forecourt/sdk';\n",
    'const forecourt = new Forecourt({',
    `  baseUrl: ${inScript(origin)},`,
    '  token: async () => ({ access_token: String(process.env.TOKEN), expires_in: 3600 }),',
    '});',
    `const result = await forecourt.${call}${optionsOf(headers)});`,
    'console.log(result);',
  ].join('\n');
}

/** The last argument of a method of the SDK: the headers that it doesn't set by itself. */
function optionsOf(headers) {
  const key = headers.find(({ name }) => name === 'Idempotency-Key');
  const others = headers.filter((header) => header !== key && !/^(?:Authorization|Content-Type)$/.test(header.name));
  const members = [
    ...(key ? [`idempotencyKey: ${inScript(key.value)}`] : []),
    ...(others.length > 0 ? [`headers: ${headersOf(others, SCRIPT, '')}`] : []),
  ];
  return members.length === 0 ? '' : `, { ${members.join(', ')} }`;
}

function fetchOf({ method, headers, json, form }, address) {
  const fields = form?.map(({ name, value }) => `    ${SCRIPT.key(name)}: ${inScript(value)},\n`).join('');
  return [
    `const response = await fetch(${inScript(address)}, {`,
    `  method: '${method}',`,
    ...(headers.length > 0 ? [`  headers: ${headersOf(headers, SCRIPT, '  ')},`] : []),
    ...(json ? [`  body: JSON.stringify(${literalOf(json, SCRIPT, '  ')}),`] : []),
    ...(form ? [`  body: new URLSearchParams({\n${fields}  }),`] : []),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function pythonOf({ method, headers, json, form }, address) {
  const call = [
    `response = requests.request(\n    "${method}",\n    ${inPython(address)},`,
    ...(headers.length > 0 ? [`    headers=${headersOf(headers, PYTHON, '    ')},`] : []),
    ...(json ? [`    json=${literalOf(json, PYTHON, '    ')},`] : []),
    ...(form ? [`    data=${headersOf(form, PYTHON, '    ')},`] : []),
    ')\nprint(response.status_code, response.text)',
  ].join('\n');
  return `${call.includes('os.environ') ? 'import os\n' : ''}import requests\n\n${call}`;
}

function javaOf({ method, headers, json, form }, address) {
  const fields = form?.map(
    ({ name, value }) => `${asciiQuoted(`${name}=`)} + URLEncoder.encode(${inJava(value)}, StandardCharsets.UTF_8)`,
  );
  const body = json ? inJava(jsonLine(json)) : fields?.join('\n                + "&" + ');
  const publisher = body === undefined ? 'noBody()' : `ofString(${body})`;
  const type = form ? [{ name: 'Content-Type', value: 'application/x-www-form-urlencoded' }] : [];
  const imports = form ? 'import java.net.URLEncoder;\n' : '';
  return `import java.net.URI;
${imports}import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
${form ? 'import java.nio.charset.StandardCharsets;\n' : ''}
public class Example {
    public static void main(String[] arguments) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(${inJava(address)}))
${[...headers, ...type].map(({ name, value }) => `            .header(${asciiQuoted(name)}, ${inJava(value)})\n`).join('')}            .method("${method}", HttpRequest.BodyPublishers.${publisher})
            .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(response.statusCode() + " " + response.body());
    }
}`;
}

function phpOf({ method, headers, json, form }, address) {
  const fields = form?.map(({ name, value }) => `        ${phpQuoted(name)} => ${inPhp(value)},\n`).join('');
  return [
    `<?php\n$call = curl_init(${inPhp(address)});`,
    'curl_setopt_array($call, [',
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    '    CURLOPT_RETURNTRANSFER => true,',
    ...(headers.length > 0
      ? [
          `    CURLOPT_HTTPHEADER => [\n${headers.map(({ name, value }) => `        ${inPhp([`${name}: `, value].flat())},\n`).join('')}    ],`,
        ]
      : []),
    ...(json ? [`    CURLOPT_POSTFIELDS => ${inPhp(jsonText(json, '    '))},`] : []),
    ...(form ? [`    CURLOPT_POSTFIELDS => http_build_query([\n${fields}    ]),`] : []),
    ']);',
    '$body = curl_exec($call);',
    `echo curl_getinfo($call, CURLINFO_RESPONSE_CODE), ' ', $body, PHP_EOL;`,
  ].join('\n');
}

function csharpOf({ method, headers, json, form }, address) {
  const fields = form?.map(({ name, value }) => `    [${asciiQuoted(name)}] = ${inCsharp(value)},\n`).join('');
  const sent = headers.filter(({ name }) => name !== 'Content-Type');
  return [
    'using System;',
    ...(form ? ['using System.Collections.Generic;'] : []),
    'using System.Net.Http;',
    ...(json ? ['using System.Text;'] : []),
    '',
    `var request = new HttpRequestMessage(new HttpMethod("${method}"), ${inCsharp(address)});`,
    ...sent.map(
      ({ name, value }) => `request.Headers.TryAddWithoutValidation(${asciiQuoted(name)}, ${inCsharp(value)});`,
    ),
    ...(json
      ? [`request.Content = new StringContent(${inCsharp(jsonLine(json))}, Encoding.UTF8, "application/json");`]
      : []),
    ...(form ? [`request.Content = new FormUrlEncodedContent(new Dictionary<string, string>\n{\n${fields}});`] : []),
    'var response = await new HttpClient().SendAsync(request);',
    'Console.WriteLine((int)response.StatusCode + " " + await response.Content.ReadAsStringAsync());',
  ].join('\n');
}

/** In the order of the tabs. */
export const LANGUAGES = [
  { id: 'curl', label: 'curl', write: curlOf },
  { id: 'typescript', label: 'TypeScript', write: typeScriptOf },
  { id: 'python', label: 'Python', write: pythonOf },
  { id: 'java', label: 'Java', write: javaOf },
  { id: 'php', label: 'PHP', write: phpOf },
  { id: 'csharp', label: 'C#', write: csharpOf },
];

/** The code of a request by the id of its language. */
export function codeOf(request, origin) {
  const address = addressOf(request, origin);
  return Object.fromEntries(LANGUAGES.map(({ id, write }) => [id, write(request, address, origin)]));
}
