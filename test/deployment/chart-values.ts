import { type Values, requiredValues } from './chart';

const on = { enabled: true };
const off = { enabled: false };

/** The chart with its defaults, with every option on, and with every option off. */
export const variants: Readonly<Record<string, Values>> = {
  'the required values': requiredValues,
  'everything on': {
    ...requiredValues,
    image: {
      repository: 'registry.example.org/sealwright',
      digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
      pullSecrets: ['registry'],
    },
    settings: {
      SERVICE__ISSUER__DISPLAY_NAME: 'University',
      SERVICE__RATE_LIMITS__ENABLED: true,
      SERVICE__HTTP__TRUSTED_PROXIES: '10.0.0.0/8',
      SERVICE__SIGNER__KEYS__TYPE: 'vault',
      SERVICE__SIGNER__KEYS__URL: 'https://vault.example.org',
      SERVICE__SIGNER__KEYS__TOKEN_FILE: '/run/secrets/signers/vault-token',
      SERVICE__SIGNER__HSM__TYPE: 'pkcs11',
      SERVICE__SIGNER__HSM__LIBRARY: '/opt/hsm/libhsm.so',
      SERVICE__SIGNER__HSM__TOKEN_LABEL: 'credentials',
      SERVICE__SIGNER__HSM__PIN_FILE: '/run/secrets/signers/pin',
      SERVICE__SIGNER__FOR_CREDENTIALS: 'hsm',
    },
    credentialConfigurations: { 'student-card.yaml': 'id: student-card\nformat: dc+sd-jwt\n' },
    tenantFiles: { 'musterstadt.yaml': 'displayName: Musterstadt\n' },
    autoscaling: { ...on, minReplicas: 3, maxReplicas: 9 },
    secret: { name: 'sealwright', keys: { erasureKeys: 'erasure-keys' } },
    migration: { secretName: 'sealwright-owner', serviceRole: 'app' },
    service: { type: 'LoadBalancer', port: 443, annotations: { 'example.org/load-balancer': 'internal' } },
    ingress: {
      ...on,
      className: 'nginx',
      annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
      host: 'credentials.example.org',
      tlsSecretName: 'credentials-tls',
      tenants: [{ host: 'id.musterstadt.example', tlsSecretName: 'musterstadt-tls' }],
    },
    metrics: {
      serviceMonitor: { ...on, labels: { release: 'prometheus' } },
      alerts: { ...on, labels: { release: 'prometheus' } },
    },
    networkPolicy: {
      publicFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
      database: { port: 6432, to: [{ ipBlock: { cidr: '10.1.2.3/32' } }] },
      extraEgress: [{ to: [{ podSelector: { matchLabels: { app: 'collector' } } }], ports: [{ port: 4318 }] }],
    },
    podLabels: { team: 'identity' },
    podAnnotations: { 'example.org/note': 'yes' },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
    extraVolumes: [
      { name: 'database-ca', configMap: { name: 'database-ca' } },
      { name: 'signers', secret: { secretName: 'signers', defaultMode: 0o440 } },
    ],
    extraVolumeMounts: [
      { name: 'database-ca', mountPath: '/etc/sealwright/database-ca', readOnly: true },
      { name: 'signers', mountPath: '/run/secrets/signers', readOnly: true },
    ],
  },
  'everything off': {
    ...requiredValues,
    secret: { name: 'sealwright', keys: { managementApiKeys: '' } },
    settings: {
      SERVICE__MANAGEMENT__JWKS_URL: 'https://login.example.org/jwks',
      SERVICE__MANAGEMENT__ISSUER: 'https://login.example.org',
      SERVICE__MANAGEMENT__AUDIENCE: 'https://credentials.example.org',
    },
    podDisruptionBudget: off,
    migration: off,
    metrics: off,
    networkPolicy: off,
    replicas: 1,
  },
};
