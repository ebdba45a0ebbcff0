/** The errors of the management API alone, in the order of the reference. */
export const MANAGE_ERRORS = {
  manage_permission_missing: {
    cause: "The key credits or reads, and this endpoint manages.",
    remedy: "Use a key with the permission manage, which an owner makes in the dashboard.",
  },
  manage_key_refused: {
    cause: "The call would make or revoke a key with the permission manage.",
    remedy: "An owner makes and revokes such keys in the dashboard, with the password.",
  },
  invalid_field: {
    cause:
      "A field of the body is absent, or one of the body or the query does not fit. The message names the first one and says why.",
    remedy: "Compare the field with the reference. The dashboard's form has the same rule.",
  },
  slug_taken: {
    cause: "Another point system's public leaderboard has this path.",
    remedy: "Choose another slug, or null for no public leaderboard.",
  },
  sandbox_mixed: {
    cause: "The call would give a key both a sandbox and another point system.",
    remedy: "Make a key for the sandbox, and another one for the rest.",
  },
  sandbox_not_public: {
    cause: "The point system is a sandbox, and the call gives it a slug.",
    remedy: "Send null as slug. A sandbox has no public pages.",
  },
  sandbox_needs_testnet: {
    cause: "The campaign is of a sandbox, and its chain is no test network.",
    remedy: "Choose a test network: 50312 or 84532.",
  },
  sandbox_needed: {
    cause: "The point system is no sandbox, so nothing clears it.",
    remedy: "Check the id. To start over, create a sandbox.",
  },
  confirmation_wrong: {
    cause: "The name is not that of the sandbox which the call would clear.",
    remedy: "Send the name that the point system has now.",
  },
  trigger_key_taken: {
    cause: "A trigger of the point system has this key. The message names the trigger.",
    remedy: "Choose another key, or change that trigger.",
  },
  too_many_triggers: {
    cause: "The point system has 500 triggers.",
    remedy: "Delete one that is no longer used. Its events stay.",
  },
  board_taken: {
    cause: "The point system has a board of this kind, or a season with this slug.",
    remedy: "Choose another slug, or delete that board first.",
  },
  too_many_boards: {
    cause: "The point system has 10 boards that are open or still to begin.",
    remedy: "End or delete one that is no longer needed.",
  },
  board_archived: {
    cause: "The season begins at a time of which events are archived, so they cannot be counted.",
    remedy: "Choose a later start.",
  },
  board_begun: {
    cause: "The season has begun, or the new start lies in the past.",
    remedy:
      "Leave startsAt as it is. Delete the season and create another to count earlier events.",
  },
  board_ended: {
    cause: "The board is not open: it has ended, has not begun, or is still being counted.",
    remedy: "Nothing is left to end or to move. Its past windows stay readable.",
  },
  streak_taken: {
    cause: "The point system has a streak with this key.",
    remedy: "Choose another key, or change that streak.",
  },
  too_many_streaks: {
    cause: "The point system has 5 streaks.",
    remedy: "Delete one that is no longer needed.",
  },
  too_many_boosts: {
    cause: "The point system has 20 boosts that run or are still to start.",
    remedy: "End or delete one that is no longer needed.",
  },
  boost_past: {
    cause: "The boost would start or end before the present time.",
    remedy: "Choose a later time. Leave startsAt out to start it now.",
  },
  boost_begun: {
    cause: "The boost has started, so it cannot be deleted and its start cannot be moved.",
    remedy: "End it now, or leave startsAt out.",
  },
  boost_ended: {
    cause: "The boost has ended or, for an end, has not started.",
    remedy: "Create another boost, or delete one that has not started.",
  },
  api_key_exists: {
    cause: "A key with this id was made before. Its text cannot be answered again.",
    remedy: "If the first answer was lost, revoke that key and make another.",
  },
  too_many_api_keys: {
    cause: "The operator has 200 keys.",
    remedy: "Revoke one that is no longer used.",
  },
  form_already_sent: {
    cause:
      "A grant with this id was made before, with another wallet, points or note, or it is the id of a credit.",
    remedy: "Give each grant an id of its own, and repeat a call with the body that it had.",
  },
  points_are_spent: {
    cause: "The wallets have spent the points that would be taken back. The message says how many.",
    remedy: "Reverse spends of them first, and repeat the call.",
  },
  spend_reversed: {
    cause: "The spend was given back before.",
    remedy: "Do not repeat the call.",
  },
  wallets_same: {
    cause: "The wallet and its primary wallet are the same address.",
    remedy: "Send two different addresses.",
  },
  wallet_linked: {
    cause: "The wallet is linked to a primary wallet. It has at most one.",
    remedy: "Unlink it first, or leave it as it is.",
  },
  wallet_has_links: {
    cause: "Other wallets are linked to this one. A primary wallet is not linked on.",
    remedy: "Unlink them first, or make this wallet the primary one.",
  },
  primary_linked: {
    cause: "The primary wallet is linked to another one itself.",
    remedy: "Link to that one instead.",
  },
  too_many_linked_wallets: {
    cause: "The primary wallet and those linked to it are 20, the limit.",
    remedy: "Unlink one that is no longer used. Its points stay with the primary wallet.",
  },
  wallet_not_linked: {
    cause: "The wallet has no primary wallet.",
    remedy: "Compare the address with the list of linked wallets.",
  },
  event_is_move: {
    cause: "The event moved points from a linked wallet to its primary one.",
    remedy: "Void the event that was credited. Its points leave the wallet that has them now.",
  },
  event_voided: {
    cause: "The event was voided before.",
    remedy: "Nothing is left to do: its points are taken back.",
  },
  too_many_uploads: {
    cause:
      "The key's operator has two uploads under way already, by all keys, or the process has eight.",
    remedy: "Repeat the call after the seconds in Retry-After. Send one after the other.",
  },
  import_moved_on: {
    cause: "The import is not in a state that allows this: it was committed, undone or taken up.",
    remedy: "Read the import, and go on from its status.",
  },
  import_changed: {
    cause: "The wallets, points or digest differ from those of the preview that the call names.",
    remedy: "Read the import again, and commit what its preview says if it is right.",
  },
  import_archived: {
    cause: "Events of the import are in an archive.",
    remedy: "They cannot be undone. Grant or void points one by one instead.",
  },
  import_unreadable: {
    cause: "The text cannot be read to its end.",
    remedy: "Mend the line that unreadableFrom names, and upload the rows again.",
  },
  import_nothing: {
    cause: "Every row of the import is left out.",
    remedy: "Read the import: its preview names the rows' problems. Perhaps the layout is wrong.",
  },
  import_empty: {
    cause: "The text has no rows.",
    remedy: "Send a line for each wallet, with its address and its points.",
  },
  import_too_many_rows: {
    cause: "The text has more than 250,000 rows.",
    remedy: "Split it into several imports.",
  },
  import_too_many_drafts: {
    cause: "The point system has 20 drafts of imports.",
    remedy: "Commit or discard one of them first.",
  },
  campaign_moved_on: {
    cause: "The campaign is not in a state that allows this: it is no draft any more.",
    remedy: "Read the campaign, and go on from its status.",
  },
  campaign_changed: {
    cause: "The campaign's terms differ from those that you read.",
    remedy: "Read the campaign again, and send its terms if they are right.",
  },
  too_many_campaign_drafts: {
    cause: "The point system has 100 drafts of rewards.",
    remedy: "Publish or delete one of them.",
  },
  token_unreadable: {
    cause: "There is no ERC-20 token at tokenAddress on the chain.",
    remedy: "Check the address and the chain.",
  },
  token_details_missing: {
    cause: "The service cannot read the chain, and the call lacks the token's symbol or decimals.",
    remedy: "Send tokenSymbol and tokenDecimals, or have an operator set the chain up.",
  },
  token_amount_invalid: {
    cause: "totalAmount is not above 0, or has more decimal places than the token.",
    remedy: "Send plain digits with a point, such as 1000.5.",
  },
  token_amount_too_large: {
    cause: "totalAmount is more than the campaign contract can hold.",
    remedy: "Check the amount: it is in whole tokens, not in base units.",
  },
  points_board_open: {
    cause: "The campaign counts the points of a board that has not ended.",
    remedy: "Publish it after the board's end, or draft it with other points.",
  },
  points_campaign_unknown: {
    cause:
      "pointsAfter is no published campaign of the point system, or its amounts came from a file.",
    remedy: "Send the id of a published campaign, or null.",
  },
  deadline_passed: {
    cause: "The deadline is in the past.",
    remedy: "Change the draft to a later deadline, or to null for none.",
  },
  chain_unavailable: {
    cause: "The chain's endpoint does not answer, so the token cannot be read.",
    remedy: "Repeat the call later. An operator sees the chain's state.",
  },
  webhook_exists: {
    cause: "A webhook with this id was made before. Its secret cannot be answered again.",
    remedy: "If the first answer was lost, rotate its secret.",
  },
  webhook_moved_on: {
    cause: "The webhook is on or off already, or its secret was rotated since you read it.",
    remedy: "Read the list of webhooks again.",
  },
  webhook_off: {
    cause: "The webhook is switched off.",
    remedy: "Switch it on first.",
  },
  webhook_replay_too_long: {
    cause: "There are more than 50,000 deliveries since then.",
    remedy: "Send a later moment.",
  },
  too_many_webhooks: {
    cause: "The point system has 10 webhooks.",
    remedy: "Delete one that is no longer used.",
  },
  gift_card_keys_missing: {
    cause: "The server lacks the key with which secrets are stored.",
    remedy: "An operator sets GIFT_CARD_KEYS on the server.",
  },
} as const;
