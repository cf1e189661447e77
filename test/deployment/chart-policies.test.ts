import { renderChart, requiredValues, type Values } from './chart';
import { variants } from './chart-values';
import { type Container, type PodTemplate, pods, theOnly, at } from './manifests';

const running = Object.entries(variants).flatMap(([variant, values]) =>
  pods(renderChart(values)).map(([name, pod]): [string, PodTemplate] => [`${name}, ${variant}`, pod]),
);

function onlyContainer({ spec }: PodTemplate): Container {
  const [container, second] = spec.containers;
  if (!container || second) throw new Error('A pod has one container.');
  return container;
}

describe('a pod of the chart', () => {
  it('is one of the service or of the migration', () => {
    expect(running.length).toBe(5);
  });

  it.each(running)('fulfils the restricted Pod Security Standard (%s)', (_, pod) => {
    const { securityContext } = onlyContainer(pod);
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.spec.securityContext['runAsUser']).toBeGreaterThanOrEqual(10_000);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(pod.spec).filter((member) => member.startsWith('host'))).toEqual([]);
  });

  it.each(running)('writes to /tmp and nowhere else (%s)', (_, pod) => {
    const { securityContext, volumeMounts } = onlyContainer(pod);
    expect(securityContext['readOnlyRootFilesystem']).toBe(true);
    const writable = volumeMounts.filter(({ readOnly }) => readOnly !== true);
    expect(writable.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
    const volume = pod.spec.volumes.find(({ name }) => name === writable[0]?.name);
    expect(volume?.emptyDir).toEqual({ sizeLimit: '64Mi' });
  });

  it.each(running)('mounts what it declares and declares what it mounts (%s)', (_, pod) => {
    const mounted = onlyContainer(pod).volumeMounts.map(({ name }) => name);
    expect(pod.spec.volumes.map(({ name }) => name).sort()).toEqual(mounted.sort());
  });

  it.each(running)('has no token of Kubernetes and no variables of other Services (%s)', (_, pod) => {
    expect(pod.spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  it.each(running)('runs one named version of the image (%s)', (_, pod) => {
    expect(onlyContainer(pod).image).toMatch(
      /^registry\.example\.org\/sealwright(:\d+\.\d+\.\d+|@sha256:[0-9a-f]{64})$/,
    );
  });

  it.each(running)('requests CPU and memory, and limits its memory (%s)', (_, pod) => {
    const { requests, limits } = onlyContainer(pod).resources;
    expect(Object.keys(requests)).toEqual(['cpu', 'memory']);
    expect(limits['memory']).toBeDefined();
  });
});

describe('the Deployment', () => {
  const deployment = theOnly(renderChart(variants['the required values'] ?? {}), 'Deployment');
  const container = onlyContainer(at(deployment, 'spec.template') as PodTemplate);

  it('probes liveness and readiness at the routes of the service', () => {
    expect(container['startupProbe']).toMatchObject({ httpGet: { path: '/livez', port: 'public' } });
    expect(container['livenessProbe']).toMatchObject({ httpGet: { path: '/livez', port: 'public' } });
    expect(container['readinessProbe']).toMatchObject({ httpGet: { path: '/readyz', port: 'public' } });
  });

  it('removes no pod before its successor is ready', () => {
    expect(at(deployment, 'spec.strategy.rollingUpdate')).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  });

  it('leaves time to drain and eight seconds for work under way', () => {
    const drain = container.env.find(({ name }) => name === 'SERVICE__HTTP__DRAIN_SECONDS')?.value;
    const grace = at(deployment, 'spec.template.spec.terminationGracePeriodSeconds');
    expect(Number(drain)).toBeGreaterThanOrEqual(5);
    const longest: Values = { ...requiredValues, settings: { SERVICE__HTTP__DRAIN_SECONDS: '21' } };
    expect(() => renderChart(longest)).toThrow(/DRAIN_SECONDS/);
    expect(Number(grace)).toBeGreaterThanOrEqual(20 + 8);
  });

  it('leaves the number of replicas to the autoscaler when there is one', () => {
    const scaled = theOnly(renderChart(variants['everything on'] ?? {}), 'Deployment');
    expect([at(deployment, 'spec.replicas'), at(scaled, 'spec.replicas')]).toEqual([2, undefined]);
  });
});
