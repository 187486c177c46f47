import { join } from 'node:path';
import ts from 'typescript';
import type { KubernetesObject } from './kustomize.js';
import { PROJECT } from './project.js';

/** Packages with validators, made from the OpenAPI description of Kubernetes or from custom resources, and with types. */
const CUSTOM: Readonly<Record<string, string>> = {
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
};

/** The module of a kind, as of `apps/v1` and `Deployment`. */
function moduleOf({ apiVersion, kind }: KubernetesObject): string {
  return `${CUSTOM[apiVersion] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
}

type Model = new (data: KubernetesObject) => { validate(): void };

/**
 * What the Kubernetes API would refuse in objects, a sentence each with the object's kind and name; empty = nothing. The
 * validators know types, formats, required fields and allowed values, but accept unknown fields; the types of the same package
 * don't.
 */
export async function schemaFaults(objects: readonly KubernetesObject[]): Promise<readonly string[]> {
  const faults: string[] = [];
  const known: KubernetesObject[] = [];
  for (const object of objects) {
    const model = await modelOf(object);
    if (!model) faults.push(`${nameOf(object)}: ${object.apiVersion} has no such kind`);
    else {
      known.push(object);
      faults.push(...validatorFaults(object, model));
    }
  }
  return [...faults, ...typeFaults(known)];
}

/** Undefined if there is no such kind. */
async function modelOf(object: KubernetesObject): Promise<Model | undefined> {
  try {
    return ((await import(moduleOf(object))) as Readonly<Record<string, Model>>)[object.kind];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}

function validatorFaults(object: KubernetesObject, model: Model): readonly string[] {
  try {
    new model(object).validate();
    return [];
  } catch (error) {
    return [`${nameOf(object)}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** The declarations of the packages, which don't change. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Compiles one constant per object, each on a line of its own: an object literal may only have the fields of its type. */
function typeFaults(objects: readonly KubernetesObject[]): readonly string[] {
  const file = join(PROJECT, 'test', 'kubernetes-objects.ts');
  const lines = objects.map((object, index) => {
    const type = `import('${moduleOf(object)}').I${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object)};`;
  });
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es5.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, target) => {
    if (path === file) return ts.createSourceFile(path, lines.join('\n'), target);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, target));
    return parsed.get(path);
  };
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0, file: source }) => {
    const object = objects[source?.getLineAndCharacterOfPosition(start).line ?? 0];
    return `${object ? nameOf(object) : ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
