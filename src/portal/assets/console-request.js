// The values of a request of the console, and the request as commands, in which secrets never appear.

/** Sets a member of nested objects; `names` is its path. */
export function put(target, [name, ...rest], value) {
  if (rest.length === 0) target[name] = value;
  else {
    target[name] ??= {};
    put(target[name], rest, value);
  }
}

/** Converts an entered value to JSON. Values that don't match their kind are sent as entered, so the API can report the error. */
export function typed(text, kind) {
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (kind === 'flag') return text === 'true';
  if (kind === 'list') return text.split(',').map((item) => item.trim());
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value of a JSON text; undefined for any other, such as metrics or an empty body. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
/**
 * Quotes a name and its value for the shell. Only a secret and the application's token, which the console marks, become shell variables,
 * whatever values contain.
 */
const shellText = (before, { value, isSecret, isToken }) => {
  if (isSecret) return `"${before}$CLIENT_SECRET"`;
  return isToken ? `"${before}Bearer $TOKEN"` : quoted(before + value);
};

/** A request of the console as a curl command. */
export function curlOf(request, origin) {
  const parts = [`curl -i ${request.method === 'GET' ? '' : `-X ${request.method} `}${quoted(origin + request.path)}`];
  for (const header of request.headers) parts.push(`-H ${shellText(`${header.name}: `, header)}`);
  for (const field of request.form ?? []) parts.push(`--data-urlencode ${shellText(`${field.name}=`, field)}`);
  if (request.json) parts.push(`-d ${quoted(JSON.stringify(request.json))}`);
  return parts.join(' \\\n  ');
}

/** A request of the console as TypeScript with fetch. */
export function typeScriptOf(request, origin) {
  const literal = ({ value, isSecret, isToken }) => {
    if (isSecret) return 'process.env.CLIENT_SECRET ?? ""';
    return isToken ? '`Bearer ${process.env.TOKEN}`' : JSON.stringify(value);
  };
  const members = (list, indent) =>
    list.map((item) => `${indent}${JSON.stringify(item.name)}: ${literal(item)},\n`).join('');
  const lines = [
    `const response = await fetch(${JSON.stringify(origin + request.path)}, {\n  method: "${request.method}",\n`,
  ];
  if (request.headers.length > 0) lines.push(`  headers: {\n${members(request.headers, '    ')}  },\n`);
  if (request.json)
    lines.push(`  body: JSON.stringify(${JSON.stringify(request.json, null, 2).replaceAll('\n', '\n  ')}),\n`);
  if (request.form) lines.push(`  body: new URLSearchParams({\n${members(request.form, '    ')}  }),\n`);
  lines.push('});\nconsole.log(response.status, await response.text());\n');
  return lines.join('');
}
