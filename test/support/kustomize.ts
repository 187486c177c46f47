import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch, type Operation } from 'rfc6902';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';

/** An object of Kubernetes, as in its manifest. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  data?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** The fields of a kustomization.yaml that are used in this project. Others are refused, not ignored. */
const kustomizationSchema = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        behavior: z.enum(['create', 'merge']).default('create'),
        literals: z.array(z.string().regex(/^[^=]+=/)),
      }),
    )
    .default([]),
  patches: z
    .array(z.strictObject({ target: z.strictObject({ kind: z.string(), name: z.string() }), patch: z.string() }))
    .default([]),
});

type Kustomization = z.infer<typeof kustomizationSchema>;

/**
 * The objects that `kubectl kustomize <folder>` prints, in no particular order, for the fields above: without a cluster and
 * without kubectl. The only difference: names of generated ConfigMaps have no hash. Throws an Error for anything else.
 */
export function buildKustomization(folder: string): readonly KubernetesObject[] {
  const kustomization = kustomizationSchema.parse(parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')));
  const objects = kustomization.resources.flatMap((name) => objectsOf(join(folder, name)));
  generate(objects, kustomization.configMapGenerator);
  for (const patch of kustomization.patches) applyTo(objects, patch);
  for (const object of objects) {
    if (kustomization.namespace !== undefined && object.kind !== 'Namespace')
      object.metadata.namespace = kustomization.namespace;
    replaceImages(object, kustomization.images);
  }
  return objects;
}

function objectsOf(path: string): KubernetesObject[] {
  if (statSync(path).isDirectory()) return [...buildKustomization(path)];
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors[0]?.message}`);
    return document.toJS() as KubernetesObject;
  });
}

function generate(objects: KubernetesObject[], generators: Kustomization['configMapGenerator']): void {
  for (const { name, behavior, literals } of generators) {
    const data = Object.fromEntries(literals.map((literal) => literal.split(/=(.*)/s, 2)));
    const existing = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
    if ((behavior === 'merge') !== (existing !== undefined))
      throw new Error(`ConfigMap ${name}: ${existing ? 'exists already' : 'does not exist'}, so it can't ${behavior}`);
    if (existing) existing.data = { ...existing.data, ...data };
    else objects.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  }
}

function applyTo(objects: readonly KubernetesObject[], { target, patch }: Kustomization['patches'][number]): void {
  const targets = objects.filter(
    ({ kind, metadata }) => kind === target.kind && new RegExp(`^(?:${target.name})$`).test(metadata.name),
  );
  if (targets.length === 0) throw new Error(`a patch finds no ${target.kind} ${target.name}`);
  for (const object of targets) {
    const failure = applyPatch(object, parse(patch) as Operation[]).find((result) => result !== null);
    if (failure) throw new Error(`${object.kind} ${object.metadata.name}: a patch fails: ${failure.message}`);
  }
}

/** A part of a manifest: anything that YAML can hold. */
type Part = string | number | boolean | null | readonly Part[] | { [key: string]: Part };

function replaceImages(part: unknown, images: Kustomization['images']): void {
  if (typeof part !== 'object' || part === null) return;
  for (const inner of Object.values(part)) replaceImages(inner, images);
  const container = part as { image?: Part };
  const image = images.find(({ name }) => name === container.image);
  if (image) container.image = `${image.newName}:${image.newTag}`;
}
