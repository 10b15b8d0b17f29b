import{t as e}from"./graphql-U8Vwz0ag.js";var t=e(`
  fragment Webhook on Webhook {
    id url events enabled failingSince disabledCause lastFailure { reason status seconds } disabledReason
  }
`),n=e(`
  fragment Account on User {
    id userId name picture email emailConfirmed emailChange { email requestedAt expiresAt } receivesMail plan hasPassword apiKeyCreatedAt
    sessions { id current userAgent network createdAt seenAt }
    passkeys { id name createdAt usedAt }
    oneTimeCodes { enabledAt recoveryCodesLeft }
    apps { id name hosts connectedAt }
    identities { issuer connectedAt } identityProvider
    webhooks { ...Webhook }
  }
`,[t]),r=e(`
  query Account($after: String) {
    viewer {
      ...Account
      securityEvents(first: 20, after: $after) {
        pageInfo { hasNextPage endCursor } nodes { id type door address title reason takedownReason changes { field before after } detail createdAt }
      }
    }
  }
`,[n]),i=e(`
  mutation UpdateAccount($input: UpdateAccountInput!) { updateAccount(input: $input) { user { id name } } }
`),a=e(`
  mutation SetAccountPicture($input: SetAccountPictureInput!) { setAccountPicture(input: $input) { user { id picture } } }
`),o=e(`
  mutation RemoveAccountPicture { removeAccountPicture { user { id picture } } }
`),s=e(`
  mutation ChangePassword($input: ChangePasswordInput!) { changePassword(input: $input) { user { ...Account } } }
`,[n]),c=e(`
  mutation ChangeEmail($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id emailChange { email requestedAt expiresAt } } } }
`),l=e(`
  mutation ResendEmailChange { resendEmailChange { user { id emailChange { email requestedAt expiresAt } } } }
`),u=e(`
  mutation CancelEmailChange { cancelEmailChange { user { id emailChange { email requestedAt expiresAt } } } }
`),d=e(`
  mutation SendEmailConfirmation { sendEmailConfirmation { user { id } } }
`),f=e(`
  mutation StartPasskey($input: StartPasskeyInput!) { startPasskey(input: $input) { options } }
`),p=e(`
  mutation AddPasskey($input: AddPasskeyInput!) { addPasskey(input: $input) { user { ...Account } } }
`,[n]),m=e(`
  mutation RemovePasskey($input: RemovePasskeyInput!) { removePasskey(input: $input) { user { ...Account } } }
`,[n]),h=e(`
  mutation StartOneTimeCodes($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret qrCode } }
`),g=e(`
  mutation ConfirmOneTimeCodes($input: ConfirmOneTimeCodesInput!) {
    confirmOneTimeCodes(input: $input) { recoveryCodes user { ...Account } }
  }
`,[n]),_=e(`
  mutation EndOneTimeCodes($input: EndOneTimeCodesInput!) { endOneTimeCodes(input: $input) { user { ...Account } } }
`,[n]),v=e(`
  mutation EndSession($input: EndSessionInput!) { endSession(input: $input) { user { ...Account } } }
`,[n]),y=e(`
  mutation EndOtherSessions { endOtherSessions { user { ...Account } } }
`,[n]),b=e(`
  mutation DisconnectApp($input: DisconnectAppInput!) { disconnectApp(input: $input) { user { ...Account } } }
`,[n]),x=e(`
  mutation ConnectIdentity($input: ConnectIdentityInput!) { connectIdentity(input: $input) { url } }
`),S=e(`
  mutation DisconnectIdentity($input: DisconnectIdentityInput!) { disconnectIdentity(input: $input) { user { ...Account } } }
`,[n]),C=e(`
  mutation DeleteAccount($input: DeleteAccountInput!) { deleteAccount(input: $input) { deletedUserId } }
`),w=e(`mutation ExportAccount { exportAccount { url } }`),T=e(`
  mutation CreateWebhook($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ...Webhook } } }
`,[t]),E=e(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ...Webhook } } }
`,[t]),D=e(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { secret webhook { id } } }
`),O=e(`
  mutation TestWebhook($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { id } } }
`),k=e(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }
`),A=e(`
  query WebhookLog {
    viewer {
      id
      webhooks {
        id deliveries(first: 20) { nodes { id event state createdAt attempts responseStatus failure { reason status seconds } error } }
      }
    }
  }
`),j=e(`mutation GenerateKey { generateApiKey { apiKey } }`);export{a as C,i as D,O as E,E as O,d as S,f as T,j as _,s as a,l as b,T as c,b as d,S as f,w as g,v as h,c as i,A as k,C as l,y as m,p as n,g as o,_ as p,u as r,x as s,r as t,k as u,m as v,h as w,D as x,o as y};