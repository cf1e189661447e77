import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import type { Manifest } from './chart';

interface Model {
  readonly apiVersion: string;
  readonly kind: string;
  readonly prototype: { validate(): void };
}

const models: readonly Model[] = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  Service,
  ServiceAccount,
  ServiceMonitor,
];

/** The errors that the API server would report for an object: a wrong type, a missing or an unknown member. */
export function faultsOf(manifest: Manifest): string[] {
  const model = models.find(({ apiVersion, kind }) => apiVersion === manifest.apiVersion && kind === manifest.kind);
  if (!model) return [`no schema for ${manifest.apiVersion} ${manifest.kind}`];
  const watched = watch(manifest);
  try {
    model.prototype.validate.call(watched.value);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return watched.unread().map((path) => `${path} is unknown to ${manifest.apiVersion} ${manifest.kind}`);
}

interface Watched {
  readonly value: object;
  /** Paths of the members that were not read. */
  unread(): string[];
}

/** The schemas allow unknown members. Their code reads every member that it knows, so what stays unread is a typing error. */
function watch(value: object, path = ''): Watched {
  const read = new Map<string, Watched | undefined>();
  const proxy = new Proxy(value, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return member;
      if (typeof member !== 'object' || member === null) {
        read.set(name, undefined);
        return member;
      }
      const child = read.get(name) ?? watch(member, `${path}/${name}`);
      read.set(name, child);
      return child.value;
    },
  });
  return {
    value: proxy,
    unread: () =>
      Object.keys(value).flatMap((name) => (read.has(name) ? (read.get(name)?.unread() ?? []) : [`${path}/${name}`])),
  };
}
