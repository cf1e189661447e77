/** Injection token of the addresses wallets learn from us (`WalletUrls` of libs/openid4vc), built from the settings. */
export const WALLET_URLS = Symbol('WALLET_URLS');
