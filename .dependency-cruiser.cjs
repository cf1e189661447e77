/** The walls of the house (docs/decisions/0001-modules-and-walls.md); test/architecture proves that they hold and that they see. */
const modules = ['templates', 'offers', 'issuance', 'verification'];
const platform = [
  'access',
  'audit',
  'event-store',
  'keys',
  'identity',
  'openapi',
  'json',
  'jose',
  'credentials',
  'openid4vc',
  'outbound',
  'rate-limits',
  'problem-details',
  'config',
  'http',
  'time',
  'web',
  'operation',
  'traces',
  'metrics',
  'logs',
];
const allowed = {
  templates: [],
  offers: ['templates'],
  issuance: ['templates', 'offers'],
  verification: ['templates'],
};

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'libraries-do-not-know-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'platform-knows-no-module',
      severity: 'error',
      from: { path: `^libs/(${platform.join('|')})/` },
      to: { path: `^libs/(${modules.join('|')})/` },
    },
    ...modules.flatMap((name) => [
      {
        name: `${name}-meets-others-at-their-door`,
        severity: 'error',
        from: { path: `^libs/${name}/` },
        to: { path: `^libs/(${modules.filter((m) => m !== name).join('|')})/src/(?!api\\.ts$)` },
      },
      {
        name: `${name}-imports-one-way`,
        severity: 'error',
        from: { path: `^libs/${name}/` },
        to: { path: `^libs/(${modules.filter((m) => m !== name && !allowed[name].includes(m)).join('|')})/` },
      },
    ]),
    {
      name: 'openid4vc-is-pure',
      severity: 'error',
      from: { path: '^libs/openid4vc/', pathNot: '\\.spec\\.ts$' },
      to: { path: '@nestjs|^(node:)?(fs|http|https|net|child_process|crypto)$|^node_modules/(pg|undici)' },
    },
    {
      name: 'wallet-shares-no-server-code',
      severity: 'error',
      from: { path: '^apps/wallet/' },
      to: { path: '^(libs|apps/server)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['require', 'import', 'node', 'types', 'default'],
    },
  },
};
