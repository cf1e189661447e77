export * from './oauth-error';
export * from './wallet-urls';
export * from './credential-configuration';
export * from './request-class';
