// What the views of the account ask of the server.

import { graphql } from '../server/graphql.ts';

export const webhookFields = graphql(`
  fragment Webhook on Webhook {
    id url events enabled failingSince disabledCause lastFailure { reason status seconds } disabledReason
  }
`);

const accountFields = graphql(
  `
  fragment Account on User {
    id userId name picture email emailConfirmed emailChange { email requestedAt expiresAt } receivesMail plan hasPassword apiKeyCreatedAt
    sessions { id current userAgent network createdAt seenAt }
    passkeys { id name createdAt usedAt }
    oneTimeCodes { enabledAt recoveryCodesLeft }
    apps { id name hosts connectedAt }
    identities { issuer connectedAt } identityProvider
    webhooks { ...Webhook }
  }
`,
  [webhookFields],
);

export const accountQuery = graphql(
  `
  query Account($after: String) {
    viewer {
      ...Account
      securityEvents(first: 20, after: $after) {
        pageInfo { hasNextPage endCursor } nodes { id type door address title reason takedownReason changes { field before after } detail createdAt }
      }
    }
  }
`,
  [accountFields],
);

export const updateAccountMutation = graphql(`
  mutation UpdateAccount($input: UpdateAccountInput!) { updateAccount(input: $input) { user { id name } } }
`);

export const setPictureMutation = graphql(`
  mutation SetAccountPicture($input: SetAccountPictureInput!) { setAccountPicture(input: $input) { user { id picture } } }
`);

export const removePictureMutation = graphql(`
  mutation RemoveAccountPicture { removeAccountPicture { user { id picture } } }
`);

export const changePasswordMutation = graphql(
  `
  mutation ChangePassword($input: ChangePasswordInput!) { changePassword(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const changeEmailMutation = graphql(`
  mutation ChangeEmail($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id emailChange { email requestedAt expiresAt } } } }
`);

export const resendEmailChangeMutation = graphql(`
  mutation ResendEmailChange { resendEmailChange { user { id emailChange { email requestedAt expiresAt } } } }
`);

export const cancelEmailChangeMutation = graphql(`
  mutation CancelEmailChange { cancelEmailChange { user { id emailChange { email requestedAt expiresAt } } } }
`);

export const sendEmailConfirmationMutation = graphql(`
  mutation SendEmailConfirmation { sendEmailConfirmation { user { id } } }
`);

export const startPasskeyMutation = graphql(`
  mutation StartPasskey($input: StartPasskeyInput!) { startPasskey(input: $input) { options } }
`);

export const addPasskeyMutation = graphql(
  `
  mutation AddPasskey($input: AddPasskeyInput!) { addPasskey(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const removePasskeyMutation = graphql(
  `
  mutation RemovePasskey($input: RemovePasskeyInput!) { removePasskey(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const startOneTimeCodesMutation = graphql(`
  mutation StartOneTimeCodes($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret qrCode } }
`);

export const confirmOneTimeCodesMutation = graphql(
  `
  mutation ConfirmOneTimeCodes($input: ConfirmOneTimeCodesInput!) {
    confirmOneTimeCodes(input: $input) { recoveryCodes user { ...Account } }
  }
`,
  [accountFields],
);

export const endOneTimeCodesMutation = graphql(
  `
  mutation EndOneTimeCodes($input: EndOneTimeCodesInput!) { endOneTimeCodes(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const endSessionMutation = graphql(
  `
  mutation EndSession($input: EndSessionInput!) { endSession(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const endOtherSessionsMutation = graphql(
  `
  mutation EndOtherSessions { endOtherSessions { user { ...Account } } }
`,
  [accountFields],
);

export const disconnectAppMutation = graphql(
  `
  mutation DisconnectApp($input: DisconnectAppInput!) { disconnectApp(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const connectIdentityMutation = graphql(`
  mutation ConnectIdentity($input: ConnectIdentityInput!) { connectIdentity(input: $input) { url } }
`);

export const disconnectIdentityMutation = graphql(
  `
  mutation DisconnectIdentity($input: DisconnectIdentityInput!) { disconnectIdentity(input: $input) { user { ...Account } } }
`,
  [accountFields],
);

export const deleteAccountMutation = graphql(`
  mutation DeleteAccount($input: DeleteAccountInput!) { deleteAccount(input: $input) { deletedUserId } }
`);

export const exportAccountMutation = graphql('mutation ExportAccount { exportAccount { url } }');

export const createWebhookMutation = graphql(
  `
  mutation CreateWebhook($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ...Webhook } } }
`,
  [webhookFields],
);

export const updateWebhookMutation = graphql(
  `
  mutation UpdateWebhook($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ...Webhook } } }
`,
  [webhookFields],
);

export const rotateWebhookSecretMutation = graphql(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { secret webhook { id } } }
`);

export const testWebhookMutation = graphql(`
  mutation TestWebhook($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { id } } }
`);

export const deleteWebhookMutation = graphql(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }
`);

export const webhookLogQuery = graphql(`
  query WebhookLog {
    viewer {
      id
      webhooks {
        id deliveries(first: 20) { nodes { id event state createdAt attempts responseStatus failure { reason status seconds } error } }
      }
    }
  }
`);

export const generateKeyMutation = graphql('mutation GenerateKey { generateApiKey { apiKey } }');
