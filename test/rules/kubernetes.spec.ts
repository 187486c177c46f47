import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { environmentVariables } from '../../src/config/environment-variables.js';
import { loadConfig } from '../../src/config/load-config.js';
import { startProblems } from '../../src/config/start-checks.js';
import { findBinary } from '../support/binaries.js';
import { schemaFaults } from '../support/kubernetes-schemas.js';
import { buildKustomization, type KubernetesObject } from '../support/kustomize.js';
import { PROJECT } from '../support/project.js';

const FOLDER = join(PROJECT, 'deploy/kubernetes');
const built = {
  sandbox: buildKustomization(join(FOLDER, 'overlays/sandbox')),
  production: buildKustomization(join(FOLDER, 'overlays/production')),
};
const overlays = Object.entries(built);
type Labels = Readonly<Record<string, string>>;

/** The fields of pods that these tests read. */
interface Pod {
  readonly kind: string;
  readonly name: string;
  readonly labels: Labels;
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number;
    readonly automountServiceAccountToken?: boolean;
    readonly enableServiceLinks?: boolean;
    readonly securityContext: object;
    readonly topologySpreadConstraints?: readonly object[];
    readonly volumes: readonly { readonly name: string; readonly [source: string]: unknown }[];
    readonly containers: readonly [Container];
  };
}
interface Container {
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly [probe: `${string}Probe`]:
    | undefined
    | { readonly httpGet: { readonly path: string; readonly port: string } };
}
interface PolicySpec {
  readonly podSelector: { readonly matchLabels?: Labels };
  readonly ingress?: readonly {
    readonly from: readonly object[];
    readonly ports: readonly { readonly port: number }[];
  }[];
}

function podsOf(objects: readonly KubernetesObject[]): readonly Pod[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const { template } = (spec ?? {}) as { template?: { metadata: { labels: Labels }; spec: Pod['spec'] } };
    return template ? [{ kind, name: metadata.name, labels: template.metadata.labels, spec: template.spec }] : [];
  });
}

function podOf(objects: readonly KubernetesObject[], name: string): Pod {
  const pod = podsOf(objects).find((one) => one.name === name);
  if (!pod) throw new Error(`no pods of ${name}`);
  return pod;
}

function specOf<T>(objects: readonly KubernetesObject[], kind: string, name: string): T {
  return objects.find((object) => object.kind === kind && object.metadata.name === name)?.spec as T;
}

const selects = (labels: Labels = {}, pod: Pod) =>
  Object.entries(labels).every(([key, value]) => pod.labels[key] === value);

/** The settings of a pod's gateway: those of the ConfigMap, and those of the pod. */
function environmentOf(objects: readonly KubernetesObject[], { spec }: Pod): Record<string, string> {
  const settings = objects.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const own = (spec.containers[0].env ?? []).map(({ name, value }) => [name, value ?? 'gateway-6d5f7-x2x4q'] as const);
  return { ...settings, ...Object.fromEntries(own) };
}

/** Names of variables that end with _FILE are those of secrets. */
const KNOWN = new Set([
  ...Object.entries(environmentVariables).flatMap(([name, { isSecret }]) =>
    isSecret ? [name, `${name}_FILE`] : [name],
  ),
  'FORECOURT_ENV',
]);

const scratch = mkdtempSync(join(tmpdir(), 'forecourt-kubernetes-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe.each(overlays)('The overlay %s', (overlay, objects) => {
  it('has only objects that the Kubernetes API accepts: known kinds, fields, types and values', async () => {
    expect(await schemaFaults(objects)).toEqual([]);
    expect(objects.length).toBeGreaterThan(15);
  });

  const kubectl = findBinary('kubectl');
  (kubectl ? it : it.skip)('is what `kubectl kustomize` builds (skipped without kubectl)', () => {
    const folder = join(FOLDER, 'overlays', overlay);
    const { stdout, stderr } = spawnSync(kubectl ?? '', ['kustomize', folder], { encoding: 'utf8', timeout: 60_000 });
    expect(stderr).toBe('');
    const text = stdout.replaceAll(/forecourt-settings-[a-z0-9]{10}/g, 'forecourt-settings');
    const byName = (all: readonly KubernetesObject[]) =>
      Object.fromEntries(all.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    expect(byName(parseAllDocuments(text).map((document) => document.toJS()))).toEqual(byName(objects));
  });

  it('runs every container without privileges, with a read-only root, and without the Kubernetes API', () => {
    const pods = podsOf(objects);
    expect(pods.length).toBeGreaterThanOrEqual(3);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec.containers[0].resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  });

  it('has no secrets: they are files of Secrets that it only names', () => {
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(JSON.stringify(objects)).not.toContain('secretKeyRef');
    expect(JSON.stringify(objects)).not.toMatch(/\w:\/\/[^"/]*:[^"/]*@/);
    for (const { spec } of podsOf(objects))
      for (const { name } of spec.volumes.filter(({ secret }) => secret))
        expect(spec.containers[0].volumeMounts.find((mount) => mount.name === name)).toMatchObject({
          mountPath: expect.stringMatching(/^\/run\/secrets\//),
          readOnly: true,
        });
  });

  it('sets only variables that gateways read, and the gateways start with them', () => {
    const supplierUrls = loadConfig('config', {}).suppliers.map(({ id }) => `SUPPLIER_${id.toUpperCase()}_URL`);
    for (const name of ['forecourt-gateway', 'forecourt-background']) {
      const env = environmentOf(objects, podOf(objects, name));
      expect(Object.keys(env).filter((variable) => !KNOWN.has(variable) && !supplierUrls.includes(variable))).toEqual(
        [],
      );
      const local = Object.entries(env).map(([variable, value]) => [variable, withFile(variable, value)]);
      const loaded = loadConfig('config', Object.fromEntries(local));
      expect(startProblems(loaded)).toEqual([]);
      expect(loaded.config).toMatchObject({ environment: overlay, databaseUrl: SECRETS['database-url'] });
    }
  });

  it('leaves background work to forecourt-background, whose pods are otherwise those of forecourt-gateway', () => {
    const [gateway, background] = ['forecourt-gateway', 'forecourt-background'].map((name) => {
      const { spec } = podOf(objects, name);
      const { topologySpreadConstraints: _, ...rest } = spec;
      const { resources: __, env = [], ...container } = spec.containers[0];
      const work = env.find((variable) => variable.name === 'BACKGROUND_WORK')?.value;
      const others = env.filter((variable) => variable.name !== 'BACKGROUND_WORK');
      return { work, pod: { ...rest, containers: [{ ...container, env: others }] } };
    });
    expect([gateway?.work, background?.work]).toEqual(['false', 'true']);
    expect(background?.pod).toEqual(gateway?.pod);
  });

  it('migrates in a Job with the database user for it, and gateways wait for that', () => {
    const { kind, spec } = podOf(objects, 'forecourt-migrate');
    expect([kind, spec.containers[0].command?.slice(-2)]).toEqual(['Job', ['migrate', 'apply']]);
    expect(spec.containers[0].env).toEqual([
      { name: 'DATABASE_URL_FILE', value: '/run/secrets/forecourt-migrate/database-url' },
    ]);
    for (const name of ['forecourt-gateway', 'forecourt-background'])
      expect(environmentOf(objects, podOf(objects, name)).DATABASE_MIGRATIONS).toBe('wait');
  });

  it('uses one image for everything', () => {
    const images = podsOf(objects).map(({ spec }) => spec.containers[0].image);
    expect(new Set(images)).toEqual(new Set(['registry.example.com/forecourt:0.1.0']));
  });

  it('gives a gateway time to finish what is in progress before it is killed', () => {
    for (const name of ['forecourt-gateway', 'forecourt-background']) {
      const pod = podOf(objects, name);
      const env = environmentOf(objects, pod);
      const { config } = loadConfig('config', { DRAIN_MS: env.DRAIN_MS, FORECOURT_ENV: overlay });
      const longestMs = config.http.drainMs + Math.max(config.reservations.budgetMs, config.http.requestBudgetMs);
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(longestMs / 1_000 + 5);
    }
  });

  it('probes start, life and readiness of every server, at ports that it has', () => {
    for (const { name, kind, spec } of podsOf(objects)) {
      if (kind === 'Job') continue;
      const [container] = spec.containers;
      for (const probe of ['startup', 'liveness', 'readiness'] as const) {
        const { path, port } = container[`${probe}Probe`]?.httpGet ?? {};
        const ready = probe === 'readiness' ? '/health/ready' : '/health/live';
        expect(path).toBe(name === 'forecourt-simulators' ? '/__sim/stats' : ready);
        expect(container.ports?.map((one) => one.name)).toContain(port);
      }
    }
  });

  it('selects pods that exist: Services, PodDisruptionBudget, HorizontalPodAutoscaler, policies', () => {
    const pods = podsOf(objects);
    const found = (labels: Labels | undefined) => pods.filter((pod) => selects(labels, pod)).map(({ name }) => name);
    const gateways = ['forecourt-gateway'];
    expect(found(specOf<{ selector: Labels }>(objects, 'Service', 'forecourt').selector)).toEqual(gateways);
    expect(found(specOf<{ selector: Labels }>(objects, 'Service', 'forecourt-metrics').selector).sort()).toEqual([
      'forecourt-background',
      ...gateways,
    ]);
    const budget = specOf<{ selector: { matchLabels: Labels } }>(objects, 'PodDisruptionBudget', 'forecourt-gateway');
    expect(found(budget.selector.matchLabels)).toEqual(gateways);
    expect(specOf(objects, 'HorizontalPodAutoscaler', 'forecourt-gateway')).toMatchObject({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'forecourt-gateway' },
    });
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    for (const { spec } of policies) expect(found((spec as PolicySpec).podSelector.matchLabels)).not.toEqual([]);
  });

  it('refuses all traffic but what a policy allows; metrics are open to the namespace monitoring only', () => {
    expect(specOf(objects, 'NetworkPolicy', 'forecourt-nothing-else')).toEqual({
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
    const gateway = podOf(objects, 'forecourt-gateway');
    const ports = new Map(gateway.spec.containers[0].ports?.map(({ name, containerPort }) => [name, containerPort]));
    const rules = objects
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ spec }) => spec as PolicySpec)
      .filter(({ podSelector }) => selects(podSelector.matchLabels, gateway))
      .flatMap(({ ingress = [] }) => ingress);
    const openTo = (port: number | undefined) =>
      rules.filter((rule) => rule.ports.some((one) => one.port === port)).flatMap(({ from }) => from);
    const namespace = (name: string) => [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
    ];
    expect(openTo(ports.get('metrics'))).toEqual(namespace('monitoring'));
    expect(openTo(ports.get('http'))).toEqual(namespace('ingress-nginx'));
    expect(rules).toHaveLength(2);
  });
});

const SECRETS: Readonly<Record<string, string>> = {
  secret: randomBytes(32).toString('base64'),
  'database-url': 'postgresql://forecourt@postgres/forecourt',
  'redis-url': 'redis://redis',
  'smtp-url': 'smtps://mail.example.com',
};

/** Names of mounted files become those of real ones, because the pods' don't exist here. */
function withFile(variable: string, value: string): string {
  const name = /^\/run\/secrets\/forecourt\/([\w-]+)$/.exec(value)?.[1];
  if (!variable.endsWith('_FILE') || name === undefined) return value;
  const file = join(scratch, name);
  writeFileSync(file, SECRETS[name] ?? '', { mode: 0o600 });
  return file;
}

it('gateways reach no private address on the internet ports, and no metadata service of a cloud', () => {
  const policy = specOf<{ egress: [{ to: { ipBlock: { except: string[] } }[] }] }>(
    built.production,
    'NetworkPolicy',
    'forecourt-suppliers-and-mail',
  );
  const refused = policy.egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock.except));
  for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'])
    expect(refused).toContain(range);
});

it('Prometheus scrapes the pods of both Deployments in production', () => {
  const monitor = specOf<{ selector: { matchLabels: Labels }; endpoints: { port: string }[] }>(
    built.production,
    'ServiceMonitor',
    'forecourt',
  );
  const services = built.production.filter(
    ({ kind, metadata }) =>
      kind === 'Service' &&
      Object.entries(monitor.selector.matchLabels).every(([key, value]) => metadata.labels?.[key] === value),
  );
  expect(services.map(({ metadata }) => metadata.name)).toEqual(['forecourt-metrics']);
  const { ports } = specOf<{ ports: { name: string }[] }>(built.production, 'Service', 'forecourt-metrics');
  expect(monitor.endpoints.map(({ port }) => port)).toEqual(ports.map(({ name }) => name));
});

describe('The journal of bookings', () => {
  const volumeOf = (objects: readonly KubernetesObject[], name: string) =>
    podOf(objects, name).spec.volumes.find((volume) => volume.name === 'journal');

  it('outlasts the pods in production: it is on a claim that pods on several nodes can write to', () => {
    expect(specOf(built.production, 'PersistentVolumeClaim', 'forecourt-journal')).toMatchObject({
      accessModes: ['ReadWriteMany'],
    });
    for (const name of ['forecourt-gateway', 'forecourt-background'])
      expect(volumeOf(built.production, name)).toMatchObject({
        persistentVolumeClaim: { claimName: 'forecourt-journal' },
      });
    expect(volumeOf(built.sandbox, 'forecourt-gateway')).toMatchObject({ emptyDir: {} });
    expect(environmentOf(built.sandbox, podOf(built.sandbox, 'forecourt-gateway')).JOURNAL_DIR).toBe('off');
  });

  it('is shared by all gateways, each with files of its own', () => {
    const pod = podOf(built.production, 'forecourt-gateway');
    const { JOURNAL_DIR = '' } = environmentOf(built.production, pod);
    const mount = pod.spec.containers[0].volumeMounts.find(({ name }) => name === 'journal');
    expect(JOURNAL_DIR.startsWith(`${mount?.mountPath}/`)).toBe(true);
    expect(pod.spec.containers[0].env).toContainEqual({
      name: 'JOURNAL_NAME',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
    });
  });
});

it('the simulators of the sandbox have the ports that gateways call', () => {
  const pod = podOf(built.sandbox, 'forecourt-simulators');
  const base = Number(pod.spec.containers[0].env?.find(({ name }) => name === 'SIMULATOR_PORT_BASE')?.value);
  const urls = loadConfig('config', {})
    .suppliers.filter(({ simulator }) => simulator)
    .map(({ id }, index) => [`SUPPLIER_${id.toUpperCase()}_URL`, `http://forecourt-simulators:${base + index}`]);
  expect(built.sandbox.find(({ kind }) => kind === 'ConfigMap')?.data).toMatchObject(Object.fromEntries(urls));
});

describe('The check of the manifests', () => {
  const service: KubernetesObject = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
  const scaler: KubernetesObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web' },
    spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
  };
  const monitor: KubernetesObject = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata: { name: 'web' },
    spec: { selector: {}, endpoints: [] },
  };

  it('accepts objects without faults', async () => {
    expect(await schemaFaults([service, scaler, monitor])).toEqual([]);
  });

  it.each<[string, KubernetesObject, RegExp]>([
    ['an unknown field', { ...service, spec: { ports: [{ port: 80, tragetPort: 80 }] } }, /^Service web: .*tragetPort/],
    ['a field in the wrong place', { ...service, ports: [{ port: 80 }] }, /^Service web: .*'"ports"' does not exist/],
    [
      'text in place of a number',
      { ...service, spec: { ports: [{ port: '80' }] } },
      /^Service web: .*port must be int/,
    ],
    [
      'a fraction in place of an integer',
      { ...scaler, spec: { ...(scaler.spec as object), maxReplicas: 1.5 } },
      /integer/,
    ],
    ['a missing field', { ...scaler, spec: { maxReplicas: 2 } }, /must have required property scaleTargetRef/],
    ['an unknown kind', { ...service, kind: 'Servce' }, /^Servce web: v1 has no such kind/],
    ['a removed version', { ...scaler, apiVersion: 'autoscaling/v9' }, /autoscaling\/v9 has no such kind/],
    [
      'an unknown field of a custom resource',
      { ...monitor, spec: { selector: {}, endpoints: [{ prot: 'x' }] } },
      /prot/,
    ],
    ['a wrong type in a custom resource', { ...monitor, spec: { selector: {}, endpoints: 'x' } }, /endpoints/],
  ])('reports %s', async (_, object, fault) => {
    expect(await schemaFaults([service, object])).toContainEqual(expect.stringMatching(fault));
  });

  it.each<[string, string, string, RegExp]>([
    ['a field that it does not know', 'namespace:', 'namePrefix: x-\nnamespace:', /namePrefix/],
    ['a file that does not exist', '- simulators.yaml', '- simulator.yaml', /ENOENT/],
    ['a patch without a target', 'forecourt-(gateway|background)', 'gateway', /finds no Deployment gateway/],
    ['a patch whose test fails', 'value: journal', 'value: secrets', /a patch fails/],
    [
      'a merge without a ConfigMap',
      '- name: forecourt-settings',
      '- name: settings',
      /ConfigMap settings: does not exist/,
    ],
  ])('refuses to build an overlay with %s', (_, before, after, fault) => {
    const copy = mkdtempSync(join(scratch, 'copy-'));
    cpSync(FOLDER, copy, { recursive: true });
    const file = join(copy, 'overlays/sandbox/kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(before);
    writeFileSync(file, text.replace(before, after));
    expect(() => buildKustomization(join(copy, 'overlays/sandbox'))).toThrow(fault);
  });
});
