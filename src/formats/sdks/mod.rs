//! Stores and messages of SDKs and frameworks, a folder or a file each.

pub mod ag2;
pub mod google_adk;
pub mod langchain;
pub mod openai_agents;
pub mod pydantic_ai;
pub mod vercel;
