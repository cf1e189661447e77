export { type ClientRule, clientRuleIn } from './authorization-settings';
export { isLoopback } from './base-url';
export type { CertificateProfile } from './certificate-settings';
export { type ConsoleRole, consoleRoles, type RoleOfGroup, rolesOfGroups } from './console-settings';
export { databaseHosts, type DatabaseHost, type SessionAttributes } from './database-hosts';
export type { MailSettings } from './mail-settings';
export { effectiveSettings } from './effective-settings';
export { canIdentify, missingForHighAssurance } from './high-assurance';
export { loadSettings } from './load-settings';
export { portError } from './port-error';
export { managementAccessFault, passwordFault } from './rules';
export { type Profile, Settings } from './settings';
export {
  CredentialConfigurationsSettings,
  issuerIdentifiers,
  IssuerSettings,
  longestDeferralDays,
  mostCopies,
  OutboundSettings,
  VerificationSettings,
  type IssuerIdentifier,
} from './credential-settings';
export { HttpSettings, MetricsSettings } from './service-settings';
export { EventStoreSettings, SecretManagerSettings, type EventStoreType } from './storage-settings';
export { anyName, describeSettings, type SettingDescription } from './setting';
export { settingsDocuments } from './settings-documents';
export { SettingsError, type SettingsFault } from './settings-error';
export { localSigner, type SignerProviderSettings, type SignerSettings, type SignerUse } from './signer-settings';
export { SettingsModule } from './settings.module';
export type { Surroundings } from './surroundings';
export { giveSettings, pictureName, settingsOfTenant, tenantSettings } from './tenant-settings';
export { reservedSegments, tenantUrlFault } from './tenant-url';
export { wantsTraces } from './traces-environment';
