export { isLoopback } from './base-url';
export { databaseHosts, type DatabaseHost, type SessionAttributes } from './database-hosts';
export { effectiveSettings } from './effective-settings';
export { loadSettings } from './load-settings';
export { managementAccessFault, passwordFault } from './rules';
export {
  CredentialConfigurationsSettings,
  EventStoreSettings,
  HttpSettings,
  issuerIdentifiers,
  IssuerSettings,
  longestDeferralDays,
  MetricsSettings,
  OutboundSettings,
  SecretManagerSettings,
  Settings,
  VerificationSettings,
  type EventStoreType,
  type IssuerIdentifier,
  type Profile,
} from './settings';
export { describeSettings, type SettingDescription } from './setting';
export { settingsDocuments } from './settings-documents';
export { SettingsError, type SettingsFault } from './settings-error';
export { SettingsModule } from './settings.module';
export type { Surroundings } from './surroundings';
export { wantsTraces } from './traces-environment';
