import type { Manifest } from './chart';

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly [member: string]: unknown;
}

export interface Volume {
  readonly name: string;
  readonly secret?: {
    readonly secretName: string;
    readonly defaultMode: number;
    readonly items: readonly { readonly key: string; readonly path: string }[];
  };
  readonly emptyDir?: object;
  readonly configMap?: { readonly name: string };
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly volumes: readonly Volume[];
    readonly securityContext: Readonly<Record<string, unknown>>;
    readonly serviceAccountName?: string;
    readonly automountServiceAccountToken: boolean;
    readonly [member: string]: unknown;
  };
}

/** The objects of one kind. */
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((one) => one.kind === kind);
}

/** The only object of a kind, or the one with this ending of its name; fails when there is none. */
export function theOnly(manifests: readonly Manifest[], kind: string, ending = ''): Manifest {
  const [found] = ofKind(manifests, kind).filter(({ metadata }) => metadata.name.endsWith(ending));
  if (!found) throw new Error(`There is no ${kind}${ending && ` with a name that ends in ${ending}`}.`);
  return found;
}

/** A member deep inside an object; undefined when any step is absent. */
export function at(manifest: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, step) => (value as Record<string, unknown> | undefined)?.[step], manifest);
}

/** Pod templates of everything that runs, by the name of the object. */
export function pods(manifests: readonly Manifest[]): [string, PodTemplate][] {
  return manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map((one) => [`${one.kind} ${one.metadata.name}`, at(one, 'spec.template') as PodTemplate]);
}

/** Whether a `matchLabels` selector takes these labels. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(selector as Record<string, string>);
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value);
}
