// Made by `npm run contracts:build` from contracts/RewardCampaigns.sol. Not to be edited.

/** The campaign contract's address on every chain: CREATE2, salt 0, by the Safe singleton factory. */
export const CAMPAIGN_CONTRACT_ADDRESS = "0x9c38721a119905a5762796c5c15cf8ac62d21141";

/** The campaign contract's ABI. */
export const campaignAbi = [
  { inputs: [], name: "AlreadyClaimed", type: "error" },
  { inputs: [], name: "ETHTransferFailed", type: "error" },
  { inputs: [], name: "Expired", type: "error" },
  { inputs: [], name: "InsufficientFunds", type: "error" },
  { inputs: [], name: "InvalidBucket", type: "error" },
  { inputs: [], name: "InvalidProof", type: "error" },
  { inputs: [], name: "InvalidTerms", type: "error" },
  { inputs: [], name: "NotActive", type: "error" },
  { inputs: [], name: "NotAdmin", type: "error" },
  { inputs: [], name: "Reentered", type: "error" },
  { inputs: [], name: "StillClaimable", type: "error" },
  { inputs: [], name: "TransferFailed", type: "error" },
  { inputs: [], name: "TransferFromFailed", type: "error" },
  { inputs: [], name: "WrongAmountReceived", type: "error" },
  { inputs: [], name: "ZeroAddress", type: "error" },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "uint256" },
      { indexed: false, name: "admin", type: "address" },
    ],
    name: "AdminChanged",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "uint256" },
      { indexed: false, name: "pendingAdmin", type: "address" },
    ],
    name: "AdminProposed",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [{ indexed: true, name: "id", type: "uint256" }],
    name: "AirdropCancelled",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "uint256" },
      { indexed: true, name: "admin", type: "address" },
      { indexed: true, name: "ref", type: "bytes32" },
      { indexed: false, name: "token", type: "address" },
      { indexed: false, name: "deadline", type: "uint256" },
    ],
    name: "AirdropCreated",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "uint256" },
      {
        components: [
          { name: "root", type: "bytes32" },
          { name: "total", type: "uint256" },
        ],
        indexed: false,
        name: "buckets",
        type: "tuple[]",
      },
    ],
    name: "BucketsAdded",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "uint256" },
      { indexed: true, name: "account", type: "address" },
      { indexed: false, name: "amount", type: "uint256" },
    ],
    name: "Claimed",
    type: "event",
  },
  {
    anonymous: false,
    inputs: [
      { indexed: true, name: "id", type: "uint256" },
      { indexed: false, name: "to", type: "address" },
      { indexed: false, name: "amount", type: "uint256" },
    ],
    name: "Refunded",
    type: "event",
  },
  {
    inputs: [{ name: "id", type: "uint256" }],
    name: "acceptAdmin",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      {
        components: [
          { name: "root", type: "bytes32" },
          { name: "total", type: "uint256" },
        ],
        name: "buckets",
        type: "tuple[]",
      },
    ],
    name: "addBuckets",
    outputs: [],
    stateMutability: "payable",
    type: "function",
  },
  {
    inputs: [{ name: "id", type: "uint256" }],
    name: "airdrop",
    outputs: [
      { name: "token", type: "address" },
      { name: "deadline", type: "uint40" },
      { name: "status", type: "uint8" },
      { name: "admin", type: "address" },
      { name: "pendingAdmin", type: "address" },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [],
    name: "airdropCount",
    outputs: [{ name: "", type: "uint128" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "root", type: "bytes32" },
    ],
    name: "bucket",
    outputs: [
      { name: "exists", type: "bool" },
      { name: "unclaimed", type: "uint256" },
    ],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "roots", type: "bytes32[]" },
      { name: "to", type: "address" },
    ],
    name: "cancel",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "amount", type: "uint256" },
      { name: "proof", type: "bytes32[]" },
    ],
    name: "claim",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      {
        components: [
          { name: "id", type: "uint256" },
          { name: "amount", type: "uint256" },
          { name: "proof", type: "bytes32[]" },
        ],
        name: "calls",
        type: "tuple[]",
      },
    ],
    name: "claimMany",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
      { name: "proof", type: "bytes32[]" },
    ],
    name: "claimTo",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "token", type: "address" },
      { name: "deadline", type: "uint40" },
      { name: "admin", type: "address" },
      { name: "ref", type: "bytes32" },
      {
        components: [
          { name: "root", type: "bytes32" },
          { name: "total", type: "uint256" },
        ],
        name: "buckets",
        type: "tuple[]",
      },
    ],
    name: "create",
    outputs: [{ name: "id", type: "uint256" }],
    stateMutability: "payable",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "root", type: "bytes32" },
      { name: "marker", type: "uint256" },
    ],
    name: "isClaimed",
    outputs: [{ name: "", type: "bool" }],
    stateMutability: "view",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "pendingAdmin", type: "address" },
    ],
    name: "proposeAdmin",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
  {
    inputs: [
      { name: "id", type: "uint256" },
      { name: "roots", type: "bytes32[]" },
      { name: "to", type: "address" },
    ],
    name: "refund",
    outputs: [],
    stateMutability: "nonpayable",
    type: "function",
  },
] as const;
